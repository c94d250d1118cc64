/** Downloads at work: what happens to one becomes what everybody sees of it, and what the next start will find. */
import path from 'node:path';
import type { Logger } from 'pino';
import type { HubClient } from '../hub/client.js';
import type { Changes } from './changes.js';
import { type DownloadRules, download, type Stage } from './download.js';
import { type Entry, isWorking, receivedOf } from './entry.js';
import { DownloadFailure } from './failure.js';
import { targetsOf } from './targets.js';

export interface RunsOptions {
  hub: HubClient;
  rules: DownloadRules;
  changes: Changes;
  /** A download has brought these files, absolute paths; resolves with the model's id in the library. */
  onArrived: (files: string[]) => Promise<string | null>;
  /** One does not work any more: there is room for another. */
  onEnd: () => void;
  log: Pick<Logger, 'info' | 'warn'>;
}

/** Why a run was ended. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

export class Runs {
  constructor(private readonly options: RunsOptions) {}

  /** Works on it until it is done, or stopped. */
  start(entry: Entry): void {
    const abort = new AbortController();
    const { folder, record } = entry;
    entry.speed.reset();
    const ended = download(
      {
        ...{ folder, record, hub: this.options.hub, rules: this.options.rules },
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
        this.options.onEnd();
      });
    entry.run = { abort, ended };
    if (!isWorking(entry.status)) this.show(entry, 'downloading');
  }

  private note(entry: Entry, index: number, bytes: number): void {
    entry.received[index] = bytes;
    entry.speed.note(performance.now(), receivedOf(entry));
    this.options.changes.tellSoon();
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

  /** As the person finds it then. */
  async failed(entry: Entry, error: unknown): Promise<void> {
    if (error instanceof Stopped) return;
    const isKnown = error instanceof DownloadFailure;
    const message = isKnown ? error.message : 'Something went wrong. The log has the details.';
    this.options.log.warn(isKnown ? {} : { err: error }, `download stopped: ${message}`);
    const isFull = isKnown && error.code === 'disk_full';
    await this.settle(entry, isFull ? 'paused' : 'failed', message);
  }

  /** Nothing works on it afterwards. */
  async halt(entry: Entry): Promise<void> {
    const { run } = entry;
    if (run === null) return;
    run.abort.abort(new Stopped('stopped'));
    await run.ended;
  }

  /** As it stays until somebody does something. */
  async settle(entry: Entry, status: 'paused' | 'failed', reason: string | null): Promise<void> {
    const { record, folder } = entry;
    if (record.status !== 'placing') record.status = status;
    record.reason = reason;
    // On a disk without room for these few bytes it goes on by itself with the next start.
    await folder.write(record).catch(() => {});
    this.letGo(entry);
    this.show(entry, status, reason);
  }

  /** Another process may take it up. */
  letGo(entry: Entry): void {
    entry.lock?.release();
    entry.lock = null;
  }

  show(entry: Entry, status: Entry['status'], reason: string | null = null): void {
    entry.status = status;
    entry.reason = reason;
    if (status !== 'waiting') entry.retryAtMs = null;
    this.options.changes.tell();
  }
}
