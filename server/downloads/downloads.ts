/**
 * All downloads of a models folder: which are under way, which wait for their turn, and what the person does to them.
 * What is under way when the process ends, however it ends, goes on with the next start.
 */
import path from 'node:path';
import type { Logger } from 'pino';
import type { Download, StartDownload } from '../../protocol/downloads.js';
import type { HubClient } from '../hub/client.js';
import { choose, type Variant } from './choice.js';
import { type DownloadRules, download, type Stage } from './download.js';
import {
  type Entry,
  isUnderWay,
  isWorking,
  newEntry,
  receivedOf,
  toDownload,
  totalOf,
} from './entry.js';
import { DownloadFailure, fileFailure } from './failure.js';
import { DownloadFolder, type DownloadRecord } from './record.js';
import { RETRY_RULES } from './retry.js';
import { checkSpace } from './space.js';
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

/** Progress is told at most so often, in milliseconds. */
const PROGRESS_MS = 250;

/** Milliseconds without a byte after which a connection is given up. */
const STALL_MS = 30_000;

/** Why a run was ended. */
class Stopped extends Error {
  override readonly name = 'Stopped';
}

export class Downloads {
  private readonly entries = new Map<string, Entry>();
  private readonly listeners = new Set<() => void>();
  private readonly rules: DownloadRules;
  private progress: NodeJS.Timeout | null = null;
  private changing: Promise<unknown> = Promise.resolve();
  private readonly closing = new AbortController();

  private constructor(private readonly options: DownloadsOptions) {
    this.rules = { retry: RETRY_RULES, stallMs: STALL_MS, ...options.rules };
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
    return new Promise((resolve) => {
      const end = () => {
        unsubscribe();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const unsubscribe = this.subscribe(end);
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
    });
  }

  /** Calls `listener` after each change; progress at most four times a second. @returns a function that ends it. */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
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
        await this.halt(entry);
        await this.settle(entry, 'paused', null);
        this.pump();
      }
      return toDownload(entry, performance.now());
    });
  }

  /** @throws DownloadFailure */
  resume(id: string): Promise<Download> {
    return this.change(async () => {
      const entry = this.get(id);
      if (entry.status === 'paused' || entry.status === 'failed') await this.queue(entry);
      this.pump();
      return toDownload(entry, performance.now());
    });
  }

  /** Removes all that came of it; what has arrived stays in the models folder. @throws DownloadFailure */
  cancel(id: string): Promise<void> {
    return this.change(async () => {
      const entry = this.get(id);
      await this.halt(entry);
      if (entry.status !== 'done') {
        entry.lock ??= entry.folder.lock();
        await entry.folder.remove(entry.lock);
      }
      this.entries.delete(id);
      this.tell();
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
      if (this.progress) clearTimeout(this.progress);
      for (const entry of this.entries.values()) {
        await this.halt(entry);
        entry.lock?.release();
        entry.lock = null;
      }
      this.tell();
      this.listeners.clear();
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
    this.letGo(entry);
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
    if (known !== undefined) await this.halt(known);
    const folder = new DownloadFolder(this.options.modelsDir(), id);
    const lock = known?.lock ?? folder.lock();
    const record: DownloadRecord = {
      ...{ version: 1, repo, revision, name: variant.name, quantization: variant.quantization },
      ...{ created: Date.now(), status: 'running', reason: null, files },
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
        await this.failed(known, failure);
      }
      throw failure;
    }
    this.entries.set(id, entry);
    this.options.log.info({ download: id, repo, name: variant.name }, 'download begun');
    this.tell();
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
      this.tell();
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
      this.letGo(entry);
      throw fileFailure(error, folder.path);
    }
    this.show(entry, 'queued');
  }

  /** With room for the others that are under way. @throws DownloadFailure */
  private checkSpace(entry: Entry): Promise<void> {
    let missing = totalOf(entry) - receivedOf(entry);
    if (missing === 0) return Promise.resolve();
    for (const other of this.entries.values()) {
      const isSameDisk = other.folder.root === entry.folder.root;
      if (other.folder.id === entry.folder.id || !isSameDisk || !isUnderWay(other)) continue;
      missing += totalOf(other) - receivedOf(other);
    }
    return checkSpace(entry.folder.root, missing);
  }

  /** Begins as many as may run. */
  private pump(): void {
    if (this.ended.aborted) return;
    const all = [...this.entries.values()];
    let running = all.filter(({ run }) => run !== null).length;
    for (const entry of all) {
      if (entry.status !== 'queued' || entry.run !== null || running >= AT_ONCE) continue;
      running++;
      this.run(entry);
    }
  }

  private run(entry: Entry): void {
    const abort = new AbortController();
    const { folder, record } = entry;
    entry.speed.reset();
    const ended = download(
      {
        ...{ folder, record, hub: this.options.hub, rules: this.rules },
        onBytes: (index, bytes) => this.note(entry, index, bytes),
        onStage: (stage) => this.stage(entry, stage),
      },
      abort.signal,
    )
      .then(
        () => this.arrived(entry),
        (error: unknown) => this.failed(entry, error),
      )
      .finally(() => {
        entry.run = null;
        this.pump();
      });
    entry.run = { abort, ended };
    if (!isWorking(entry.status)) this.show(entry, 'downloading');
  }

  private note(entry: Entry, index: number, bytes: number): void {
    entry.received[index] = bytes;
    entry.speed.note(performance.now(), receivedOf(entry));
    this.progress ??= setTimeout(this.tell, PROGRESS_MS);
  }

  private stage(entry: Entry, stage: Stage): void {
    if (stage.status !== 'waiting') {
      if (entry.status !== stage.status) this.show(entry, stage.status);
      return;
    }
    entry.retryAtMs = stage.retryAtMs;
    this.show(entry, 'waiting', stage.reason);
  }

  private async arrived(entry: Entry): Promise<void> {
    const { folder, record } = entry;
    if (entry.lock !== null) await folder.remove(entry.lock).catch(() => {});
    entry.lock = null;
    const targets = targetsOf(
      record.repo,
      record.files.map(({ path }) => path),
    );
    entry.received = record.files.map(({ size }) => size);
    entry.modelId = await this.options
      .onArrived(targets.map((target) => path.join(folder.root, target)))
      .catch(() => null);
    this.options.log.info({ download: folder.id, model: entry.modelId }, 'download done');
    this.show(entry, 'done');
  }

  private async failed(entry: Entry, error: unknown): Promise<void> {
    if (error instanceof Stopped) return;
    const isKnown = error instanceof DownloadFailure;
    const message = isKnown ? error.message : 'Something went wrong. The log has the details.';
    this.options.log.warn(isKnown ? {} : { err: error }, `download stopped: ${message}`);
    const isFull = isKnown && error.code === 'disk_full';
    await this.settle(entry, isFull ? 'paused' : 'failed', message);
  }

  /** Nothing works on it afterwards. */
  private async halt(entry: Entry): Promise<void> {
    const { run } = entry;
    if (run === null) return;
    run.abort.abort(new Stopped('stopped'));
    await run.ended;
  }

  /** As it stays until somebody does something. */
  private async settle(
    entry: Entry,
    status: 'paused' | 'failed',
    reason: string | null,
  ): Promise<void> {
    const { record, folder } = entry;
    if (record.status !== 'placing') record.status = status;
    record.reason = reason;
    // On a disk without room for these few bytes it goes on by itself with the next start.
    await folder.write(record).catch(() => {});
    this.letGo(entry);
    this.show(entry, status, reason);
  }

  /** Another process may take it up. */
  private letGo(entry: Entry): void {
    entry.lock?.release();
    entry.lock = null;
  }

  private show(entry: Entry, status: Entry['status'], reason: string | null = null): void {
    entry.status = status;
    entry.reason = reason;
    if (status !== 'waiting') entry.retryAtMs = null;
    this.tell();
  }

  private readonly tell = (): void => {
    if (this.progress) clearTimeout(this.progress);
    this.progress = null;
    for (const listener of [...this.listeners]) listener();
  };
}

/** What has come of the same bytes is gone on with; the rest is of no use. @returns whether there was anything. */
async function keepParts(folder: DownloadFolder, record: DownloadRecord): Promise<boolean> {
  const before = await folder.read();
  for (const [i, file] of record.files.entries()) {
    const old = before?.files[i];
    const isSame =
      old !== undefined &&
      old.path === file.path &&
      old.size === file.size &&
      old.sha256 === file.sha256 &&
      (file.sha256 !== null || before?.revision === record.revision);
    if (isSame) file.origin = old.origin;
    else await folder.forget(i);
  }
  const extra = (before?.files.length ?? 0) - record.files.length;
  for (let i = 0; i < extra; i++) await folder.forget(record.files.length + i);
  return before !== null;
}
