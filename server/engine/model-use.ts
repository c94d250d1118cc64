/** What models do and have done, as metrics tell it. */
import type { EngineReport } from '../../protocol/engine-calls.js';
import type { ModelInfo } from '../../protocol/engine-load.js';
import type { GenerationStream } from '../generation/stream.js';
import type { PoolEntry } from './pool-entry.js';

/** What a model does and has done since the server was started. */
export interface ModelUse {
  modelId: string;
  /** Null while it is not loaded. */
  info: ModelInfo | null;
  /** Generations that produce, and calls to a loaded model. */
  running: number;
  /** Those that wait for the model, a slot or their prompt. */
  waiting: number;
  loads: number;
  crashes: number;
}

/** Counts begin at 0 with each load. */
export interface LoadedReport extends EngineReport {
  /** Which load of the model it is, from 1. */
  load: number;
}

/** @param streams Generations of this model that have not ended. */
export function modelUse(entry: PoolEntry, streams: readonly GenerationStream[]): ModelUse {
  const { model, status, info, loads, crashes, users, calls } = entry;
  const isLoaded = status === 'loaded';
  const running = calls + streams.filter(isRunning).length;
  return {
    ...{ modelId: model.id, info: isLoaded ? info : null, loads, crashes },
    ...{ running, waiting: users - running },
  };
}

/** What its engine says of itself; null: it is not loaded, or has not answered when `signal` aborts. */
export async function loadedReport(
  { engine, status, loads }: PoolEntry,
  signal: AbortSignal,
): Promise<LoadedReport | null> {
  if (status !== 'loaded' || engine === null) return null;
  const report = await engine.call('report', null, signal).catch(() => null);
  return report && { ...report, load: loads };
}

/** It produces, rather than to wait for a model, a slot or its prompt. */
export function isRunning(stream: GenerationStream): boolean {
  return stream.isAccepted && stream.progress()?.stage !== 'queued';
}
