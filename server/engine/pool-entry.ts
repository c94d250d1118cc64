/** What the pool knows of one model. */
import type { ModelInfo } from '../../protocol/engine-load.js';
import type { ModelStatus } from '../../protocol/models.js';
import type { LibraryModel } from '../library/model.js';
import { CrashBackoff } from './backoff.js';
import type { Engine } from './engine.js';

export interface EngineStatus {
  status: Exclude<ModelStatus, 'invalid'>;
  /** 0..1 while loading, else null. */
  progress: number | null;
  /** A sentence for people where status is failed or crashed. */
  reason: string | null;
  contextLength: number | null;
  /** Compute devices; null while it is not loaded. */
  devices: string[] | null;
  /** Over all devices; null while it is not loaded. */
  memoryBytes: number | null;
  /** Unix seconds of its last request; null: none since the start. */
  lastUsedAt: number | null;
  running: number;
  waiting: number;
}

export interface PoolEntry {
  model: LibraryModel;
  status: EngineStatus['status'];
  progress: number | null;
  reason: string | null;
  info: ModelInfo | null;
  engine: Engine | null;
  loading: Promise<Engine> | null;
  backoff: CrashBackoff;
  /** Larger is more recent. */
  lastUsed: number;
  /** Unix seconds; null: never. */
  lastUsedAt: number | null;
  /** Generations and calls that run on it or wait for it. */
  users: number;
  /** To be unloaded once its last generation has ended. */
  leaving: boolean;
  /** How often it has been loaded. */
  loads: number;
  /** How often its engine process has ended by itself. */
  crashes: number;
}

/** Nobody has asked for it yet. */
export function newEntry(model: LibraryModel): PoolEntry {
  return {
    model,
    status: 'unloaded',
    progress: null,
    reason: null,
    info: null,
    engine: null,
    loading: null,
    backoff: new CrashBackoff(),
    lastUsed: 0,
    lastUsedAt: null,
    users: 0,
    leaving: false,
    loads: 0,
    crashes: 0,
  };
}

/** Whether both are the same bytes, as far as the file system tells. */
export function isSameFile(a: LibraryModel, b: LibraryModel): boolean {
  return a.path === b.path && a.sizeBytes === b.sizeBytes && a.created === b.created;
}

/** Bytes that a loaded model takes, over all devices. */
export function memoryOf({ memory }: ModelInfo): number {
  return memory.reduce(
    (sum, { weightsBytes, kvBytes, computeBytes }) => sum + weightsBytes + kvBytes + computeBytes,
    0,
  );
}
