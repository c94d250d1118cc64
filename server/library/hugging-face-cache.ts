/**
 * Models of Hugging Face's cache: models--OWNER--NAME/snapshots/REVISION/…, each file a link to a blob. Of several
 * revisions the newest that has a file counts. What is on its way (blobs/….incomplete) has no link yet.
 * Format: https://huggingface.co/docs/huggingface_hub/guides/manage-cache
 */
import type { Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Candidate, Found } from './candidate.js';
import { folderModels } from './folder-source.js';
import { idBelow, PREFIXES } from './ids.js';

/** Revisions of one model that are looked at, the newest ones. */
const MAX_REVISIONS = 20;

export async function huggingFaceModels(hub: string): Promise<Found> {
  const found: Found = { candidates: [], folders: [hub], errorCode: null, notices: [] };
  let entries: Dirent[];
  try {
    entries = await readdir(hub, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { ...found, folders: [], errorCode: code ?? 'unknown' };
  }
  for (const { name } of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const [kind, ...parts] = name.split('--');
    if (kind !== 'models' || parts.length === 0) continue;
    // A name may have two hyphens, an owner cannot.
    const [owner = '', ...rest] = parts;
    const repo = rest.length === 0 ? [owner] : [owner, rest.join('--')];
    const inner = await repoModels(
      path.join(hub, name),
      idBelow(PREFIXES.hugging_face, [], repo.join('/')),
    );
    found.candidates.push(...inner.candidates);
    found.folders.push(...inner.folders);
  }
  return found;
}

async function repoModels(folder: string, prefix: string): Promise<Omit<Found, 'errorCode'>> {
  const snapshots = path.join(folder, 'snapshots');
  const byId = new Map<string, Candidate>();
  const folders = [snapshots];
  for (const revision of await revisionsOf(folder, snapshots)) {
    const found = await folderModels(path.join(snapshots, revision), 'hugging_face', prefix);
    if (found.candidates.length > 0) folders.push(...found.folders);
    for (const candidate of found.candidates) {
      const known = byId.get(candidate.id ?? '');
      // An update may have brought some parts of a split model, so far.
      const isBetter = known !== undefined && isWhole(candidate) && !isWhole(known);
      if (known === undefined || isBetter) byId.set(candidate.id ?? '', candidate);
    }
  }
  return { candidates: [...byId.values()], folders, notices: [] };
}

const isWhole = ({ missingParts }: Candidate) => missingParts.length === 0;

/** Newest first: that of the branch "main", then by when they came. */
async function revisionsOf(folder: string, snapshots: string): Promise<string[]> {
  const names = await readdir(snapshots).catch(() => []);
  const main = await readFile(path.join(folder, 'refs', 'main'), 'utf8').catch(() => '');
  const dated = await Promise.all(
    names.map(async (name) => {
      const found = await stat(path.join(snapshots, name)).catch(() => null);
      return { name, at: name === main.trim() ? Infinity : (found?.mtimeMs ?? 0) };
    }),
  );
  return dated
    .sort((a, b) => b.at - a.at || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_REVISIONS)
    .map(({ name }) => name);
}
