/** Typed contract of the addon (src/addon.cpp) and its loader. Only the engine process imports this. */
import { createRequire } from 'node:module';
import type { EngineErrorCode, GenerationRequest } from '../protocol/engine.js';
import type {
  ApplyTemplateRequest,
  ApplyTemplateResult,
  DetokenizeRequest,
  EmbedInput,
  EngineStats,
  TokenizeRequest,
  TokenizeResult,
} from '../protocol/engine-calls.js';
import type { BackendModule, OfferedDevice, RpcServerOptions } from '../protocol/engine-channel.js';
import type {
  LoadErrorCode,
  LoadOptions,
  MemoryEstimate,
  ModelInfo,
} from '../protocol/engine-load.js';
import type { PackedEvents } from '../protocol/packed-events.js';

/** Embeddings, or scores where there is a query. */
export interface NativeEmbedRequest {
  /** Unique among the requests that have not ended. */
  id: number;
  /** Null: a vector for each input; else not empty: a score for each input. */
  query: string | null;
  inputs: EmbedInput[];
  /** See EmbedRequest and RerankRequest. */
  truncate: boolean;
}

export interface NativeEmbedResult {
  /** Empty where there was a query. */
  vectors: Float32Array[];
  /** Empty where there was none. */
  scores: number[];
  promptTokens: number[];
  totalTokens: number;
}

/**
 * One loaded model. Its methods are for the JavaScript thread that loaded it and return at once: a generation's events
 * come through `onEvents` of `load`, everything else through promises that reject with NativeRequestError. Where a field
 * is missing or of the wrong type, they throw. Ids are integers of up to 53 bits.
 */
export interface NativeEngine {
  readonly info: ModelInfo;
  /**
   * Puts a request into the queue; its prompt is made on a thread of its own, its tokens on the decode thread. Throws when
   * the sequence id is in use; NativeRequestError `not_generative` where the model does not write. Everything else that
   * is wrong with it, a full queue too, ends it with an error event.
   */
  submit(request: GenerationRequest): void;
  /** Ends the sequence with `cancelled` within one decode step; unknown ids are ignored. */
  cancel(seq: number): void;
  /**
   * The sequence keeps its slot and takes no part in batches until `resume`, from the next decode step on; unknown ids are
   * ignored, and a second call changes nothing.
   */
  pause(seq: number): void;
  /** From the next decode step on. Unknown ids, and sequences that are not paused, are ignored. */
  resume(seq: number): void;
  /**
   * On the embedder's thread, in order of arrival. `not_embedding` or `not_rerank` where the model's kind does not do
   * it. Throws when the id is in use.
   */
  embed(request: NativeEmbedRequest): Promise<NativeEmbedResult>;
  /** Rejects the request with `cancelled`, after the batch of this moment at the latest; unknown ids are ignored. */
  cancelEmbed(id: number): void;
  /** On libuv's pool, as the next two. Fails only with `engine_failed`, where memory runs out. */
  tokenize(request: TokenizeRequest): Promise<TokenizeResult>;
  /** Control tokens become their names. `invalid_prompt` for an id outside the vocabulary. */
  detokenize(request: DetokenizeRequest): Promise<{ bytes: Uint8Array }>;
  /** `template_failed` where the template refuses the messages. */
  applyTemplate(request: ApplyTemplateRequest): Promise<ApplyTemplateResult>;
  /** As of the last decode step. Waits for no step: at most for a lock that the decode thread holds for microseconds. */
  stats(): EngineStats;
  /**
   * Ends every sequence and request with `shutting_down` and frees the model, on a background thread; resolves when all is
   * gone and never rejects. Afterwards every other method throws.
   */
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

/** What a rejected request carries besides its message, a sentence for people. */
export interface NativeRequestError extends Error {
  code: EngineErrorCode;
  /** Index of the input at fault; null: none in particular. */
  input: number | null;
}

/** All of it is for one JavaScript thread. */
interface Addon {
  /**
   * Loads a model on a background thread. `onProgress` gets 0..1. `onEvents` gets everything one decode step produced,
   * in one call. Both are called on the JavaScript thread. Aborting `signal` gives the load up, between two tensors at the latest, and frees what it had; once the
   * promise has settled it has no effect. Rejects with NativeLoadError, code `cancelled` after an abort.
   */
  load(
    options: LoadOptions,
    onProgress: (fraction: number) => void,
    onEvents: (events: PackedEvents) => void,
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
  /**
   * Makes the devices of an RPC worker at "address:port" (IPv4), or the first of them, take part in every later estimate
   * and load of this process; returns how many they are. Blocks, without end where the worker is silent, and ends the process where it
   * is not reached or speaks another version: it has been asked before (server/rpc/handshake.ts).
   */
  addRpcWorker(endpoint: string, maxDevices: number): number;
  /** Devices that can work for others, graphics cards first as ggml lists them; memory in bytes. Never throws. */
  rpcDevices(): OfferedDevice[];
  /**
   * Serves RPC to one peer after the other. Resolves only where it cannot, with a sentence for people. What a peer sends
   * may end the process.
   */
  serveRpc(options: RpcServerOptions): Promise<string>;
  /** Of RPC's protocol: major, minor, patch. */
  readonly rpcVersion: [number, number, number];
  /** Version of the llama.cpp sources the addon was built from. */
  readonly llamaVersion: string;
}

/** Loads engine.node from an absolute path. Throws where it is missing or built for another machine. */
export function loadAddon(path: string): Addon {
  const require = createRequire(import.meta.url);
  return require(path) as Addon;
}
