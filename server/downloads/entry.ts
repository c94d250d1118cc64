/** A download as the manager has it, and as everybody sees it. */
import type { Download, DownloadStatus } from '../../protocol/downloads.js';
import type { FileLock } from '../store/file-lock.js';
import type { DownloadFolder, DownloadRecord } from './record.js';
import { Speed, secondsLeft } from './speed.js';

export interface Entry {
  readonly folder: DownloadFolder;
  record: DownloadRecord;
  status: DownloadStatus;
  reason: string | null;
  /** Milliseconds since 1970. */
  retryAtMs: number | null;
  /** Bytes that are there of each file. */
  received: number[];
  readonly speed: Speed;
  /** Null while no process of ours may work on it. */
  lock: FileLock | null;
  run: { abort: AbortController; ended: Promise<void> } | null;
  modelId: string | null;
}

export function newEntry(folder: DownloadFolder, record: DownloadRecord): Entry {
  return {
    ...{ folder, record, status: 'paused', reason: record.reason, retryAtMs: null },
    ...{ received: record.files.map(() => 0), speed: new Speed() },
    ...{ lock: null, run: null, modelId: null },
  };
}

export const totalOf = ({ record }: Entry): number =>
  record.files.reduce((sum, { size }) => sum + size, 0);

export const receivedOf = ({ received }: Entry): number =>
  received.reduce((sum, bytes) => sum + bytes, 0);

/** It takes bytes, or will. */
export const isUnderWay = ({ status }: Entry): boolean => status === 'queued' || isWorking(status);

export const isWorking = (status: DownloadStatus): boolean =>
  status === 'downloading' || status === 'waiting' || status === 'verifying';

/** @param now On the clock of its speed. */
export function toDownload(entry: Entry, now: number): Download {
  const { folder, record, status, reason, retryAtMs, modelId } = entry;
  const [total, received] = [totalOf(entry), receivedOf(entry)];
  const speed = status === 'downloading' ? entry.speed.perSecond(now) : null;
  return {
    id: folder.id,
    repo: record.repo,
    revision: record.revision,
    name: record.name,
    quantization: record.quantization,
    files: record.files.map((file) => file.path),
    status,
    total_bytes: total,
    received_bytes: received,
    bytes_per_second: speed === null ? null : Math.round(speed),
    seconds_left: secondsLeft(total - received, speed),
    retry_at: retryAtMs === null ? null : Math.ceil(retryAtMs / 1000),
    reason,
    model_id: modelId,
  };
}
