/** One download from its first byte to its place in the models folder: file by file, each verified before it counts. */
import { open } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { HubClient } from '../hub/client.js';
import { DownloadFailure, fileFailure, PassingFailure } from './failure.js';
import { fetchBytes } from './fetch-bytes.js';
import { FollowingHash } from './following-hash.js';
import { PartialFile } from './partial-file.js';
import { place } from './place.js';
import { type DownloadFolder, type DownloadRecord, sizeOf } from './record.js';
import { type RetryRules, retryDelay } from './retry.js';
import { targetsOf } from './targets.js';

export interface DownloadRules {
  retry: RetryRules;
  /** Milliseconds without a byte after which a connection is given up. */
  stallMs: number;
}

export interface DownloadJob {
  folder: DownloadFolder;
  record: DownloadRecord;
  hub: HubClient;
  rules: DownloadRules;
  /** So many bytes are there of the file with this place in the record. */
  onBytes: (index: number, bytes: number) => void;
  onStage: (stage: Stage) => void;
}

export type Stage =
  | { status: 'downloading' | 'verifying' }
  | { status: 'waiting'; reason: string; retryAtMs: number };

/** A second try is worth it: a bit that flips on the way does so by chance. */
const MISMATCHES_MAX = 1;

/**
 * Resolves when all files are where they belong. What has come stays when it ends otherwise.
 * @throws DownloadFailure; the signal's reason
 */
export async function download(job: DownloadJob, signal: AbortSignal): Promise<void> {
  const { folder, record } = job;
  const targets = targetsOf(
    record.repo,
    record.files.map((file) => file.path),
  );
  try {
    if (record.status !== 'placing') {
      for (const [i, target] of targets.entries()) await obtain(job, i, target, signal);
      signal.throwIfAborted();
      record.status = 'placing';
      await folder.write(record);
    }
    await place(folder, targets);
  } catch (error) {
    throw signal.aborted ? signal.reason : fileFailure(error, folder.path);
  }
}

/** The file with this place in the record is verified and waits for the others, or is in its place already. */
async function obtain(
  job: DownloadJob,
  index: number,
  target: string,
  signal: AbortSignal,
): Promise<void> {
  const { folder, record, onBytes, onStage } = job;
  const file = record.files[index];
  if (file === undefined || (await sizeOf(folder.whole(index))) !== null) return;
  if ((await sizeOf(path.join(folder.root, target))) === file.size && file.sha256 !== null) {
    onStage({ status: 'verifying' });
    const sha256 = await sha256Of(path.join(folder.root, target), file.size, signal);
    if (sha256 === file.sha256) {
      await folder.forget(index);
      onBytes(index, file.size);
      return;
    }
  }
  await fetchFile(job, index, signal);
}

async function fetchFile(job: DownloadJob, index: number, signal: AbortSignal): Promise<void> {
  const { record, rules, onStage } = job;
  let failures = 0;
  let mismatches = 0;
  let most = 0;
  for (;;) {
    signal.throwIfAborted();
    onStage({ status: 'downloading' });
    const tried = await tryFile(job, index, signal);
    if (tried.ended === 'verified') return;
    if (tried.ended === 'mismatch') {
      mismatches++;
      if (mismatches <= MISMATCHES_MAX) continue;
      throw new DownloadFailure(
        'corrupt',
        `${record.files[index]?.path} came damaged twice: its SHA-256 is not the one that the hub tells. What came is deleted.`,
      );
    }
    // Bytes that had come before do not count: a server that always breaks off at the same place is not waited for.
    failures = tried.size > most ? 1 : failures + 1;
    most = Math.max(most, tried.size);
    const { message, retryAfterMs } = tried.failure;
    const delay = retryDelay(failures, retryAfterMs, Math.random(), rules.retry);
    if (delay === null) {
      throw new DownloadFailure(
        'unreachable',
        `${message} It was tried ${failures} times. Resume it to go on with what has come.`,
      );
    }
    onStage({ status: 'waiting', reason: message, retryAtMs: Date.now() + delay });
    await wait(delay, undefined, { signal }).catch(() => {});
  }
}

type Tried =
  | { ended: 'verified' }
  | { ended: 'mismatch' }
  | { ended: 'failed'; failure: PassingFailure; size: number };

async function tryFile(job: DownloadJob, index: number, signal: AbortSignal): Promise<Tried> {
  const { folder, record, hub, rules, onBytes, onStage } = job;
  const file = record.files[index];
  if (file === undefined) throw new Error(`There is no file ${index} in the record.`);
  const part = await PartialFile.open(folder.partial(index)).catch((error: unknown) => {
    throw fileFailure(error, file.path);
  });
  const keepOrigin = async (origin: typeof file.origin) => {
    file.origin = origin;
    await folder.write(record);
  };
  let most = part.size;
  try {
    await fetchBytes({ ...file, repo: record.repo, revision: record.revision }, part, {
      ...{ hub, signal, stallMs: rules.stallMs, origin: file.origin, onOrigin: keepOrigin },
      onBytes: () => {
        most = Math.max(most, part.size);
        onBytes(index, part.size);
      },
    });
    onStage({ status: 'verifying' });
    const sha256 = await unlessAborted(part.sha256(), signal);
    if (file.sha256 === null || sha256 === file.sha256) {
      await part.finish(path.basename(folder.whole(index)));
      onBytes(index, file.size);
      return { ended: 'verified' };
    }
    await part.restart();
    await keepOrigin(null);
    return { ended: 'mismatch' };
  } catch (error) {
    if (!(error instanceof PassingFailure)) throw fileFailure(error, file.path);
    return { ended: 'failed', failure: error, size: most };
  } finally {
    onBytes(index, Math.min(part.size, file.size));
    await part.close();
  }
}

async function sha256Of(file: string, size: number, signal: AbortSignal): Promise<string> {
  const handle = await open(file, 'r');
  const hash = new FollowingHash(handle, size);
  try {
    return await unlessAborted(hash.finish(), signal);
  } finally {
    await hash.stop();
    await handle.close();
  }
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
