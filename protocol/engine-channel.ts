/**
 * The engine channel: messages between the server and the process that holds one loaded model. Plain structured-clone
 * data. One `events` message carries everything one decode step produced.
 */

import type { GenerationRequest } from './engine.js';
import type { EngineCall, EngineCallFailure, EngineCallResult } from './engine-calls.js';
import type { LoadErrorCode, LoadOptions, MemoryEstimate, ModelInfo } from './engine-load.js';
import type { ExtractedContent, ExtractFailure } from './extract.js';
import type { PackedEvents } from './packed-events.js';

/** A compute backend in a file of its own, as an engine process found it. */
export interface BackendModule {
  /** ggml's name, such as "CPU", "CUDA" or "Vulkan". */
  name: string;
  /** Of a CPU variant on this processor, higher is better; 1 where a module has no score. */
  score: number;
  devices: BackendDevice[];
}

export interface BackendDevice {
  /** ggml's name, such as "Vulkan0". */
  name: string;
  /** For people, such as "NVIDIA H100". */
  description: string;
  isGpu: boolean;
}

/** A device of this machine that can compute for other ones. */
export interface OfferedDevice {
  /** ggml's name, such as "CPU" or "CUDA0". */
  name: string;
  /** For people. */
  description: string;
  isGpu: boolean;
  /** As the driver says; of a processor all the machine's memory on most systems. */
  freeBytes: number;
  totalBytes: number;
}

export interface RpcServerOptions {
  /** "127.0.0.1:port" */
  endpoint: string;
  /** Names of OfferedDevice. */
  devices: string[];
  /** What peers are told of each device's memory, at most. */
  freeBytes: number[];
  /** Of a processor; 0: automatic. */
  threads: number;
  /** Folder that keeps received weights for the next load; '': none. */
  cacheDir: string;
}

/** An RPC worker that cannot be used. */
export interface RpcProblem {
  /** "host:port", as it is set. */
  host: string;
  /** A sentence for people. */
  reason: string;
}

/** An RPC worker as it is set and as it is reached. */
export interface RpcPeer {
  /** "host:port" */
  host: string;
  /** "address:port" */
  endpoint: string;
}

/** `name` says for people what the secret is for. */
export type KeychainRequest =
  | { action: 'read' | 'remove'; name: string }
  | { action: 'write'; name: string; secret: string };

export type ServerToEngine =
  /**
   * `backends`: files of the modules to load before the model; empty where the engine has all inside. `rpcHosts`:
   * "host:port" of RPC workers, see LoadOptions.
   */
  | { type: 'load'; options: LoadOptions; backends: string[]; rpcHosts?: string[] }
  /** What the load would take: `estimated` or `load-failed`, or the process ends. Never with a model. */
  | { type: 'estimate'; options: LoadOptions; backends: string[]; rpcHosts?: string[] }
  /** Gives up the load that is under way: `load-failed` with `cancelled` follows. Without effect after its end. */
  | { type: 'cancel-load' }
  /** Loads one module and computes on its devices: `probed` or `probe-failed`, or the process ends. Never with a model. */
  | { type: 'probe'; file: string }
  /** How well one module suits the processor: `scored`, or the process ends. */
  | { type: 'score'; file: string }
  /** Asks the operating system's keychain: `keychain-done` or `keychain-failed`, or never. Never with a model. */
  | { type: 'keychain'; request: KeychainRequest }
  /** Takes the text out of a file: `extracted` or `extract-failed`, or the process ends, or never. Never with a model. */
  | { type: 'extract'; file: string }
  /** Which devices could compute for other machines: `rpc-devices`. Never with a model. */
  | { type: 'rpc-devices'; backends: string[] }
  /** Serves RPC until the process ends, or `rpc-refused`. After `rpc-devices`. */
  | { type: 'rpc-serve'; options: RpcServerOptions }
  | { type: 'submit'; request: GenerationRequest }
  | { type: 'cancel'; seq: number }
  /** Backpressure: the reader of this sequence is full; it rests in its slot until `resume`. */
  | { type: 'pause'; seq: number }
  | { type: 'resume'; seq: number }
  /** `id` is chosen by the server and unique within one engine process. `call-done` or `call-failed` follows. */
  | { type: 'call'; id: number; call: EngineCall }
  /** Ends the call with `cancelled`, within one batch of the model; ended ones are ignored. */
  | { type: 'cancel-call'; id: number }
  /** Ends every sequence with `shutting_down`, frees the model and exits with 0. */
  | { type: 'unload' };

export type EngineToServer =
  /** 0..1 */
  | { type: 'load-progress'; fraction: number }
  | { type: 'loaded'; info: ModelInfo }
  /** `workers`: RPC workers that it counts, and that further estimates of this process count too. `problems`: see `rpc`. */
  | {
      type: 'estimated';
      estimate: MemoryEstimate;
      workers: RpcPeer[];
      problems: RpcProblem[];
    }
  /** Before the load, where it was to use RPC workers. `workers`: those that it uses. `problems`: the others. */
  | { type: 'rpc'; workers: RpcPeer[]; problems: RpcProblem[] }
  /** A worker that it uses is gone; so is this process in a moment. */
  | { type: 'rpc-lost'; host: string }
  | { type: 'load-failed'; code: LoadErrorCode; message: string }
  | { type: 'probed'; module: BackendModule }
  /** The message is a sentence for people. `broken`: it loads and does not compute as it should. */
  | { type: 'probe-failed'; broken: boolean; message: string }
  /** 0: the processor cannot run it, or the file does not load. */
  | { type: 'scored'; score: number }
  /** `version`: of RPC's protocol: major, minor, patch. */
  | { type: 'rpc-devices'; devices: OfferedDevice[]; version: [number, number, number] }
  /** A sentence for people. */
  | { type: 'rpc-refused'; message: string }
  /** `secret`: of `read`; null: there is none. */
  | { type: 'keychain-done'; secret: string | null }
  | { type: 'keychain-failed'; message: string }
  | { type: 'extracted'; content: ExtractedContent }
  | ({ type: 'extract-failed' } & ExtractFailure)
  | { type: 'events'; events: PackedEvents }
  | { type: 'call-done'; id: number; result: EngineCallResult }
  | ({ type: 'call-failed'; id: number } & EngineCallFailure);
