/** `pilotlight search`: models on the hub, one a line; with a model's own name what can be fetched of it. */
import { formatBytes } from '../protocol/bytes.js';
import { type HubModel, REPO_NAME } from '../protocol/hub.js';
import type { HubClient } from '../server/hub/client.js';
import { repoDetails } from '../server/hub/details.js';
import { HubError } from '../server/hub/errors.js';
import { type HubSort, searchModels } from '../server/hub/search.js';
import { columns } from './columns.js';
import { hubOf, openFolders } from './hub.js';
import { printable } from './local-library.js';

export interface SearchOptions {
  sort: HubSort;
  limit: number;
  data?: string;
  json?: boolean;
}

const FAILED = 1;
const UNKNOWN = '-';

/** Sets the exit status of the process. */
export async function search(words: readonly string[], options: SearchOptions): Promise<void> {
  const wanted = words.join(' ').trim();
  const folders = await openFolders(options);
  const { hub, close } = hubOf(folders, options);
  try {
    if (REPO_NAME.test(wanted)) await showVariants(hub, wanted, options);
    else await showModels(hub, wanted, options);
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    console.error(error.message);
    process.exitCode = FAILED;
  } finally {
    await close();
  }
}

async function showModels(
  hub: HubClient,
  wanted: string,
  { sort, limit, json }: SearchOptions,
): Promise<void> {
  const { models } = await searchModels(hub, { search: wanted, sort, limit, cursor: null });
  if (json) {
    console.log(JSON.stringify(models, null, 2));
    return;
  }
  if (models.length === 0) {
    console.error(`There is no model with GGUF files for "${printable(wanted)}" on ${hub.host}.`);
    return;
  }
  const rows = models.map((model) => [
    printable(model.repo),
    model.downloads.toLocaleString('en-US'),
    model.likes.toLocaleString('en-US'),
    model.updated_at.slice(0, 10),
    notes(model),
  ]);
  console.log(columns([['MODEL', 'DOWNLOADS', 'LIKES', 'CHANGED', 'NOTES'], ...rows]));
  console.error('\nName one for what can be fetched of it: pilotlight search OWNER/NAME');
}

async function showVariants(hub: HubClient, repo: string, { json }: SearchOptions): Promise<void> {
  const details = await repoDetails(hub, repo, 'main');
  if (json) {
    console.log(JSON.stringify(details, null, 2));
    return;
  }
  if (details.variants.length === 0) {
    console.error(`${details.repo} has no GGUF files that are a model.`);
    return;
  }
  const rows = details.variants.map(({ name, quantization, size_bytes, files }) => [
    printable(name),
    quantization ?? UNKNOWN,
    formatBytes(size_bytes),
    String(files.length),
  ]);
  console.log(columns([['VARIANT', 'FORMAT', 'SIZE', 'FILES'], ...rows]));
  const facts = [notes(details), details.license === null ? '' : `licence ${details.license}`];
  const told = facts.filter((fact) => fact !== '').join(', ');
  if (told !== '') console.error(printable(`\n${details.repo}: ${told}`));
}

function notes({ gated, private: isPrivate, task }: HubModel): string {
  const all = [gated ? 'gated' : '', isPrivate ? 'private' : '', printable(task ?? '')];
  return all.filter((note) => note !== '').join(', ');
}
