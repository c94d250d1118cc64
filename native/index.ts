/** Typed contract of the addon (src/addon.cpp) and its loader. Only the engine process imports this. */
import { createRequire } from 'node:module';
import type {
  BackendModule,
  EngineEvent,
  EngineStats,
  GenerationRequest,
  LoadErrorCode,
  LoadOptions,
  MemoryEstimate,
  ModelInfo,
} from '../protocol/engine.js';

/** One loaded model. Its methods return at once; everything else comes through the events of `load`. */
export interface NativeEngine {
  readonly info: ModelInfo;
  /** Throws when the sequence id is in use. */
  submit(request: GenerationRequest): void;
  /** Ends the sequence with `cancelled` within one decode step; unknown ids are ignored. */
  cancel(seq: number): void;
  /** The sequence keeps its slot and takes no part in batches until `resume`. */
  pause(seq: number): void;
  resume(seq: number): void;
  stats(): EngineStats;
  /** Ends every sequence with `shutting_down` and frees the model. Afterwards every other method throws. */
  close(): Promise<void>;
}

/** What a rejected `load` carries besides its message, a sentence for people. */
export interface NativeLoadError extends Error {
  code: LoadErrorCode;
}

/** What loadBackend and probeBackend throw. */
export interface NativeBackendError extends Error {
  /** `refused`: this machine lacks what the module needs. `broken`: it loads and does not compute as it should. */
  code: 'refused' | 'broken';
}

interface Addon {
  /**
   * Loads a model on a background thread. `onProgress` gets 0..1. `onEvents` gets everything one decode step produced,
   * in one call. Aborting `signal` gives the load up, between two tensors at the latest, and frees what it had; once the
   * promise has settled it has no effect. Rejects with NativeLoadError, code `cancelled` after an abort.
   */
  load(
    options: LoadOptions,
    onProgress: (fraction: number) => void,
    onEvents: (events: EngineEvent[]) => void,
    signal: AbortSignal,
  ): Promise<NativeEngine>;
  /**
   * What `load` would take with the same options, exactly, and what of it fits. Reads the file's metadata on a
   * background thread, not its weights; not while a `load` of this process is under way. Rejects with NativeLoadError
   * where the file cannot be a model at all.
   */
  estimate(options: LoadOptions): Promise<MemoryEstimate>;
  /**
   * Loads one backend module (an absolute path) for the life of the process, before the first `load`. Blocks. Throws
   * NativeBackendError. An addon with its backends inside needs none.
   */
  loadBackend(file: string): BackendModule;
  /**
   * The same, and computes something known on each device: some milliseconds on a CPU, seconds on a GPU. A bad module or
   * driver may end the process, so it is for one that has nothing else to do.
   */
  probeBackend(file: string): BackendModule;
  /**
   * How well a module suits this processor, higher is better; 0: it cannot run here or does not load; 1 where it has no
   * score. Opens the file without starting the backend.
   */
  scoreBackend(file: string): number;
  /** Version of the llama.cpp sources the addon was built from. */
  readonly llamaVersion: string;
}

/** Loads engine.node from an absolute path. Throws where it is missing or built for another machine. */
export function loadAddon(path: string): Addon {
  const require = createRequire(import.meta.url);
  return require(path) as Addon;
}
