/** What the pool knows of one model. */
import type { ModelInfo } from '../../protocol/engine-load.js';
import type { ModelStatus } from '../../protocol/models.js';
import type { LibraryModel } from '../library/model.js';
import { CrashBackoff } from './backoff.js';
import type { Engine } from './engine.js';
import type { Bytes } from './room.js';
import type { LoadSettings, ModelRules } from './rules.js';

export interface EngineStatus {
  status: Exclude<ModelStatus, 'invalid'>;
  /** 0..1 while loading, else null. */
  progress: number | null;
  /** A sentence for people where status is failed or crashed, or what it waits for while it is loading. */
  reason: string | null;
  contextLength: number | null;
  /** Compute devices; null while it is not loaded. */
  devices: string[] | null;
  /** Over all devices; null while it is not loaded. */
  memoryBytes: number | null;
  /** Unix seconds of its last request; null: never. */
  lastUsedAt: number | null;
  running: number;
  waiting: number;
  isPinned: boolean;
  /** Its settings have changed since it was loaded; it is loaded anew once it is idle. */
  isStale: boolean;
}

/** What requests have asked for, until it is unloaded. Undefined: as the rules say. */
export interface Wishes {
  settings?: Partial<LoadSettings> | undefined;
  /** Seconds; null: never. */
  ttl?: number | null | undefined;
  isPinned?: boolean | undefined;
}

export interface PoolEntry {
  model: LibraryModel;
  status: EngineStatus['status'];
  progress: number | null;
  reason: string | null;
  info: ModelInfo | null;
  engine: Engine | null;
  loading: Promise<Engine> | null;
  /** With which it was loaded last. */
  settings: LoadSettings | null;
  wishes: Wishes;
  /** What it is to take, while it loads. */
  reserved: Bytes | null;
  /** Since when, milliseconds of the clock. */
  reservedAt: number;
  backoff: CrashBackoff;
  /** Larger is more recent. */
  lastUsed: number;
  /** Unix seconds; null: never. */
  lastUsedAt: number | null;
  /** Generations and calls that run on it or wait for it. */
  users: number;
  /** Those that its engine has. */
  active: number;
  /** Of the active ones, calls. */
  calls: number;
  /** Others that wait until it is loaded. */
  loaders: number;
  /** Since when somebody waits for it, milliseconds of the clock; null: nobody. */
  waitingSince: number | null;
  /** Since when it takes requests, milliseconds of the clock. */
  openSince: number;
  /** Since when nobody uses it, milliseconds of the clock. */
  idleSince: number;
  /** It waits for memory. */
  isClaiming: boolean;
  /** It takes no new requests, so that another model gets its memory. */
  yields: boolean;
  /** It takes no new requests and leaves when its answers have ended. */
  drains: boolean;
  /** It leaves once it is idle: it is in the library no more. */
  leaving: boolean;
  /** Called when it takes requests again, or is gone. */
  wakers: (() => void)[];
  /** How often it has been loaded. */
  loads: number;
  /** How often its engine process has ended by itself. */
  crashes: number;
}

/** Nobody has asked for it yet. */
export function newEntry(model: LibraryModel): PoolEntry {
  return {
    model,
    ...{ status: 'unloaded', progress: null, reason: null, info: null, engine: null },
    ...{ loading: null, settings: null, wishes: {}, reserved: null, reservedAt: 0 },
    backoff: new CrashBackoff(),
    ...{ lastUsed: 0, lastUsedAt: null, users: 0, active: 0, calls: 0, loaders: 0 },
    ...{ waitingSince: null, openSince: 0, idleSince: 0 },
    ...{ isClaiming: false, yields: false, drains: false, leaving: false },
    wakers: [],
    ...{ loads: 0, crashes: 0 },
  };
}

/** Whether both are the same bytes, as far as the file system tells. */
export function isSameFile(a: LibraryModel, b: LibraryModel): boolean {
  return a.path === b.path && a.sizeBytes === b.sizeBytes && a.created === b.created;
}

/** The rules with what requests have asked for. */
export function withWishes(rules: ModelRules, { settings, ttl, isPinned }: Wishes): ModelRules {
  return {
    load: { ...rules.load, ...settings },
    isPinned: isPinned ?? rules.isPinned,
    ttl: ttl !== undefined ? ttl : isPinned === true ? null : rules.ttl,
  };
}

export function isClosed({ yields, drains }: PoolEntry): boolean {
  return yields || drains;
}

/** Somebody else's memory is what it or its requests wait for. */
export function waitsForMemory({ isClaiming, yields }: PoolEntry): boolean {
  return isClaiming || yields;
}

/** Everybody who waits at its door looks again. */
export function wake(entry: PoolEntry): void {
  for (const waker of entry.wakers.splice(0)) waker();
}

/** Bytes that a loaded model takes, over all devices. */
export function memoryOf(info: ModelInfo): number {
  return bytesOf(info).all;
}

/** Of this machine's memory. */
export function bytesOf({ memory }: Pick<ModelInfo, 'memory'>): Bytes {
  const here = memory.filter(({ isRemote }) => !isRemote);
  const each = here.map((device) => device.weightsBytes + device.kvBytes + device.computeBytes);
  return { host: each[0] ?? 0, all: each.reduce((sum, bytes) => sum + bytes, 0) };
}
