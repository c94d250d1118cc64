/**
 * `pilotlight pull`: fetches a model from the hub into the models folder, where a running server finds it. Goes on with
 * what an earlier pull, or a server, has begun. Progress and words go to standard error, the file's path to the other.
 */
import { existsSync } from 'node:fs';
import type { Download } from '../protocol/downloads.js';
import { Downloads } from '../server/downloads/downloads.js';
import { DownloadFailure } from '../server/downloads/failure.js';
import { parseReference, type Reference } from '../server/downloads/reference.js';
import { memoryForModel } from '../server/engine/memory.js';
import { repoDetails } from '../server/hub/details.js';
import { HubError } from '../server/hub/errors.js';
import { type FolderOptions, type Folders, hubOf, openFolders } from './hub.js';
import { PullProgress } from './pull-progress.js';
import { stopOnSignal } from './stop-on-signal.js';

export interface PullOptions extends FolderOptions {
  revision: string;
}

const EXIT = { failed: 1, interrupted: 130 };

/** It could not be begun; a sentence for people. */
class PullError extends Error {
  override readonly name = 'PullError';
}

/** Sets the exit status of the process. */
export async function pull(name: string, options: PullOptions): Promise<void> {
  const stop = new AbortController();
  const forget = stopOnSignal(stop, EXIT.interrupted);
  try {
    const reference = referenceOf(name);
    const folders = await openFolders(options);
    if (options.models !== undefined && !existsSync(folders.modelsDir)) {
      throw new PullError(`--models: there is no folder ${folders.modelsDir}.`);
    }
    await fetchModel(reference, folders, options, stop.signal);
  } catch (error) {
    if (stop.signal.aborted) {
      process.exitCode = EXIT.interrupted;
      return;
    }
    const isKnown =
      error instanceof PullError || error instanceof DownloadFailure || error instanceof HubError;
    if (!isKnown) throw error;
    console.error(error.message);
    process.exitCode = EXIT.failed;
  } finally {
    forget();
  }
}

function referenceOf(name: string): Reference {
  const reference = parseReference(name);
  if (reference !== null) return reference;
  throw new PullError(
    `"${name}" is no model of Hugging Face: name one as OWNER/NAME, or as OWNER/NAME:Q4_K_M.`,
  );
}

async function fetchModel(
  reference: Reference,
  folders: Folders,
  options: PullOptions,
  signal: AbortSignal,
): Promise<void> {
  const { hub, close } = hubOf(folders, options);
  let arrived: string[] = [];
  const downloads = await Downloads.open({
    ...{ hub, goOn: false, log: { info() {}, warn() {} } },
    modelsDir: () => folders.modelsDir,
    details: (repo, revision, ended) => repoDetails(hub, repo, revision, ended),
    memory: () => memoryForModel(0),
    onArrived: async (files) => {
      arrived = files;
      return null;
    },
  });
  try {
    const begun = await downloads.start({ ...reference, revision: options.revision }, signal);
    console.error(`${begun.repo}: ${begun.name}, revision ${begun.revision.slice(0, 12)}`);
    const last = await follow(downloads, begun, signal);
    end(last, arrived);
  } finally {
    await downloads.close();
    await close();
  }
}

/** Shows how far it is until it is over; pauses it where the person does not want to wait. */
async function follow(
  downloads: Downloads,
  { id }: Download,
  signal: AbortSignal,
): Promise<Download | null> {
  const progress = new PullProgress(process.stderr);
  const show = () => {
    const now = downloads.find(id);
    if (now !== null) progress.show(now);
  };
  const unsubscribe = downloads.subscribe(show);
  show();
  const last = await downloads.settled(id, signal);
  unsubscribe();
  progress.stop();
  return signal.aborted && last?.status !== 'done' ? downloads.pause(id) : last;
}

function end(last: Download | null, arrived: readonly string[]): void {
  if (last?.status === 'done') {
    console.error('All of it is here, and its SHA-256 is right.');
    console.log(arrived[0] ?? '');
    return;
  }
  const { received_bytes = 0, total_bytes = 1, reason = null } = last ?? {};
  const percent = Math.floor((received_bytes / Math.max(1, total_bytes)) * 100);
  console.error(reason ?? `Paused at ${percent} %.`);
  console.error('The same command goes on with it.');
  process.exitCode = reason === null ? EXIT.interrupted : EXIT.failed;
}
