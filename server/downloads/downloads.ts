/**
 * All downloads of a models folder: which are under way, which wait for their turn, and what the person does to them.
 * What is under way when the process ends, however it ends, goes on with the next start.
 */
import path from 'node:path';
import type { Logger } from 'pino';
import type { Download, StartDownload } from '../../protocol/downloads.js';
import { checkSpace, NoSpaceError } from '../disk-space.js';
import type { HubClient } from '../hub/client.js';
import { Changes } from './changes.js';
import { choose, type Variant } from './choice.js';
import type { DownloadRules } from './download.js';
import { type Entry, isUnderWay, newEntry, receivedOf, toDownload, totalOf } from './entry.js';
import { DownloadFailure, fileFailure } from './failure.js';
import { keepParts } from './parts.js';
import { DownloadFolder, type DownloadRecord, sizeOf } from './record.js';
import { RETRY_RULES } from './retry.js';
import { Runs, Stopped } from './runs.js';
import { badName, isRepoName, targetsOf } from './targets.js';

export interface DownloadsOptions {
  /** Where downloads that begin now go. */
  modelsDir: () => string;
  hub: HubClient;
  /**
   * What a repo holds at a revision, which may be a branch or a tag.
   * @throws with a sentence for people
   */
  details: (
    repo: string,
    revision: string,
    signal: AbortSignal,
  ) => Promise<{ revision: string; variants: readonly Variant[] }>;
  /** Bytes that a model may take in memory now. */
  memory: () => number;
  /** A download has brought these files, absolute paths; resolves with the model's id in the library. */
  onArrived: (files: string[]) => Promise<string | null>;
  log: Pick<Logger, 'info' | 'warn'>;
  /** Those that an earlier process left go on; else only what is asked for, as where another process has the rest. */
  goOn: boolean;
  rules?: Partial<DownloadRules>;
}

/** Downloads that take bytes at the same time: two keep a line busy, more make each of them late. */
const AT_ONCE = 2;

/** Milliseconds without a byte after which a connection is given up. */
const STALL_MS = 30_000;

export class Downloads {
  private readonly entries = new Map<string, Entry>();
  private readonly changes = new Changes();
  private readonly runs: Runs;
  private changing: Promise<unknown> = Promise.resolve();
  private readonly closing = new AbortController();

  private constructor(private readonly options: DownloadsOptions) {
    const { hub, log, onArrived } = options;
    this.runs = new Runs({
      ...{ hub, log, onArrived, changes: this.changes },
      rules: { retry: RETRY_RULES, stallMs: STALL_MS, ...options.rules },
      onEnd: () => this.pump(),
    });
  }

  /** Never rejects: what cannot be read is left alone. */
  static async open(options: DownloadsOptions): Promise<Downloads> {
    const downloads = new Downloads(options);
    if (options.goOn) await downloads.readAll();
    return downloads;
  }

  /** In the order in which they were begun. */
  list(): Download[] {
    const now = performance.now();
    return [...this.entries.values()]
      .sort((a, b) => a.record.created - b.record.created)
      .map((entry) => toDownload(entry, now));
  }

  find(id: string): Download | null {
    const entry = this.entries.get(id);
    return entry === undefined ? null : toDownload(entry, performance.now());
  }

  /** Aborted when all are stopped: there will be no more changes. */
  get ended(): AbortSignal {
    return this.closing.signal;
  }

  /** Its files, in order; none where there is no such download. */
  files(id: string): { path: string; sha256: string | null; size: number; received: number }[] {
    const entry = this.entries.get(id);
    if (entry === undefined) return [];
    return entry.record.files.map(({ path: file, sha256, size }, i) => ({
      ...{ path: file, sha256, size, received: entry.received[i] ?? 0 },
    }));
  }

  /** Resolves with the next change of any, or when the signal aborts. */
  nextChange(signal: AbortSignal): Promise<void> {
    return this.changes.next(signal);
  }

  /** Calls `listener` after each change; progress at most four times a second. @returns a function that ends it. */
  subscribe(listener: () => void): () => void {
    return this.changes.subscribe(listener);
  }

  /**
   * Begins a download, or goes on with the one that there is of the same choice.
   * @throws DownloadFailure, and what the source throws
   */
  async start(request: StartDownload, signal: AbortSignal): Promise<Download> {
    const { repo, revision, name, quantization } = request;
    if (!isRepoName(repo)) throw badName(repo);
    const details = await this.options.details(repo, revision, signal);
    const variant = choose(repo, details.variants, { name, quantization }, this.options.memory());
    signal.throwIfAborted();
    return this.change(() => this.begin(repo, details.revision, variant));
  }

  /** What has come stays. One that is not under way stays as it is. @throws DownloadFailure where there is none. */
  pause(id: string): Promise<Download> {
    return this.change(async () => {
      const entry = this.get(id);
      if (isUnderWay(entry)) {
        await this.runs.halt(entry);
        // It may have come to its end just then.
        if (isUnderWay(entry)) await this.runs.settle(entry, 'paused', null);
        this.pump();
      }
      return toDownload(entry, performance.now());
    });
  }

  /** One that waits for its next try does so at once. @throws DownloadFailure */
  resume(id: string): Promise<Download> {
    return this.change(async () => {
      const entry = this.get(id);
      if (entry.status === 'waiting') {
        await this.runs.halt(entry);
        if (entry.status === 'waiting') this.runs.show(entry, 'queued');
      } else if (entry.status === 'paused' || entry.status === 'failed') {
        await this.queue(entry);
      }
      this.pump();
      return toDownload(entry, performance.now());
    });
  }

  /** Removes all that came of it; what has arrived stays in the models folder. @throws DownloadFailure */
  cancel(id: string): Promise<void> {
    return this.change(async () => {
      const entry = this.get(id);
      await this.runs.halt(entry);
      if (entry.status !== 'done') {
        entry.lock ??= entry.folder.lock();
        await entry.folder.remove(entry.lock);
      }
      this.entries.delete(id);
      this.changes.tell();
      this.pump();
    });
  }

  /** Resolves once nothing more happens by itself, or when the signal aborts; null where it has gone. */
  async settled(id: string, signal: AbortSignal): Promise<Download | null> {
    for (;;) {
      const changed = this.nextChange(signal);
      const entry = this.entries.get(id);
      if (entry === undefined || !isUnderWay(entry) || signal.aborted || this.ended.aborted) {
        return this.find(id);
      }
      await changed;
    }
  }

  /** Stops all; those under way go on with the next start. */
  close(): Promise<void> {
    this.closing.abort();
    return this.change(async () => {
      for (const entry of this.entries.values()) {
        await this.runs.halt(entry);
        this.runs.letGo(entry);
      }
      this.changes.close();
    });
  }

  /** What changes the list comes one after the other. */
  private change<T>(act: () => Promise<T>): Promise<T> {
    const next = this.changing.then(act);
    this.changing = next.catch(() => {});
    return next;
  }

  private get(id: string): Entry {
    const entry = this.entries.get(id);
    if (entry !== undefined) return entry;
    throw new DownloadFailure('not_found', `There is no download "${id.slice(0, 100)}".`);
  }

  private async readAll(): Promise<void> {
    for (const folder of await DownloadFolder.all(this.options.modelsDir())) {
      try {
        await this.takeUp(folder);
      } catch (error) {
        // Another process is at it, or the folder can only be read.
        const message = error instanceof Error ? error.message : String(error);
        this.options.log.warn({ download: folder.id }, message);
      }
    }
    this.pump();
  }

  private async takeUp(folder: DownloadFolder): Promise<void> {
    const lock = folder.lock();
    const record = await folder.read();
    if (record === null) {
      lock.release();
      return;
    }
    const entry = newEntry(folder, record);
    entry.lock = lock;
    entry.received = await folder.received(record);
    this.entries.set(folder.id, entry);
    if (record.status === 'placing' || record.status === 'running') {
      entry.status = 'queued';
      return;
    }
    entry.status = record.status === 'failed' ? 'failed' : 'paused';
    this.runs.letGo(entry);
  }

  private async begin(repo: string, revision: string, variant: Variant): Promise<Download> {
    if (this.ended.aborted) throw new Stopped('The server is stopping.');
    const files = variant.files.map(({ path, size_bytes, sha256 }) => ({
      ...{ path, size: size_bytes, sha256, origin: null },
    }));
    targetsOf(
      repo,
      files.map(({ path }) => path),
    );
    const id = DownloadFolder.idOf(repo, variant.name);
    const known = this.entries.get(id);
    if (known !== undefined && isUnderWay(known) && known.record.revision === revision) {
      return toDownload(known, performance.now());
    }
    if (known !== undefined) await this.runs.halt(known);
    const folder = new DownloadFolder(this.options.modelsDir(), id);
    const lock = known?.lock ?? folder.lock();
    const record: DownloadRecord = {
      ...{ version: 1, repo, revision, name: variant.name, quantization: variant.quantization },
      ...{ created: known?.record.created ?? Date.now(), status: 'running', reason: null, files },
    };
    const entry = newEntry(folder, record);
    entry.lock = lock;
    entry.status = 'queued';
    let isNew = true;
    try {
      isNew = !(await keepParts(folder, record));
      entry.received = await folder.received(record);
      await this.checkSpace(entry);
      await folder.write(record);
    } catch (error) {
      const failure = fileFailure(error, folder.path);
      if (isNew) await folder.remove(lock);
      else if (known === undefined) lock.release();
      else {
        known.lock = lock;
        await this.runs.failed(known, failure);
      }
      throw failure;
    }
    this.entries.set(id, entry);
    this.options.log.info({ download: id, repo, name: variant.name }, 'download begun');
    this.changes.tell();
    this.pump();
    return toDownload(entry, performance.now());
  }

  /** Takes it up again, as it is on the disk by now: another process may have gone on with it. */
  private async queue(entry: Entry): Promise<void> {
    const { folder } = entry;
    const lock = entry.lock ?? folder.lock();
    const record = await folder.read();
    if (record === null) {
      await folder.remove(lock);
      this.entries.delete(folder.id);
      this.changes.tell();
      throw new DownloadFailure(
        'not_found',
        'This download is not there any more: another process has ended it.',
      );
    }
    entry.lock = lock;
    entry.record = record;
    entry.received = await folder.received(record);
    try {
      await this.checkSpace(entry);
      if (record.status !== 'placing') record.status = 'running';
      record.reason = null;
      await folder.write(record);
    } catch (error) {
      this.runs.letGo(entry);
      throw fileFailure(error, folder.path);
    }
    this.runs.show(entry, 'queued');
  }

  /** With room for the others that are under way. @throws DownloadFailure */
  private async checkSpace(entry: Entry): Promise<void> {
    let missing = await missingOf(entry);
    if (missing === 0) return;
    for (const other of this.entries.values()) {
      const isSameDisk = other.folder.root === entry.folder.root;
      if (other.folder.id === entry.folder.id || !isSameDisk || !isUnderWay(other)) continue;
      missing += totalOf(other) - receivedOf(other);
    }
    await checkSpace(entry.folder.root, missing).catch((error: unknown) => {
      throw error instanceof NoSpaceError ? new DownloadFailure('disk_full', error.message) : error;
    });
  }

  /** Begins as many as may run. */
  private pump(): void {
    if (this.ended.aborted) return;
    const all = [...this.entries.values()];
    let running = all.filter(({ run }) => run !== null).length;
    for (const entry of all) {
      if (entry.status !== 'queued' || entry.run !== null || running >= AT_ONCE) continue;
      running++;
      this.runs.start(entry);
    }
  }
}

/** Bytes that are still to come. A file that is in its place with the same size is most likely the same. */
async function missingOf({ folder, record, received }: Entry): Promise<number> {
  const { repo, files } = record;
  const targets = targetsOf(
    repo,
    files.map(({ path }) => path),
  );
  let missing = 0;
  for (const [i, { size }] of files.entries()) {
    const isThere = (await sizeOf(path.join(folder.root, targets[i] ?? ''))) === size;
    if (!isThere) missing += size - (received[i] ?? 0);
  }
  return missing;
}
