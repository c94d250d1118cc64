/** Loading a model into an engine process: what is asked, what is told of the model, and why a load can fail. */

export interface LoadOptions {
  /** Absolute path of the GGUF file. */
  path: string;
  /**
   * Context of each sequence in tokens, at most what the model was trained for; 0: the model's own, within the memory
   * that is free.
   */
  contextLength: number;
  /** Sequences that can run at the same time, 1..256. */
  parallel: number;
  /** Compute threads; 0: chosen from the machine's cores. */
  threads: number;
  /** Layers on the GPU; -1: as many as fit; 0: none. */
  gpuLayers: number;
  /** Bytes that weights and KV cache may take; 0: no limit. */
  memoryBytes: number;
  /** Requests that may wait for a slot; further ones get `queue_full`. */
  queueMax: number;
  /**
   * Milliseconds that a step with running streams should not exceed because of prefill; 0: at most two and a half times
   * as long as without it.
   */
  targetItlMs: number;
  /** Host memory for prefixes that had to leave the KV cache, bytes; 0: none are kept. */
  prefixStoreBytes: number;
  /** Element type of the cached keys. */
  kvTypeK: KvType;
  /** Element type of the cached values; a quantised one (other than f32, f16, bf16) needs flash attention. */
  kvTypeV: KvType;
  /** `auto`: where the device has a kernel for it. */
  flashAttention: OnOffAuto;
  /**
   * One KV cache for all sequences: it holds what they share once, and any of them may have most of it, but each computes
   * over everybody's tokens, which halves the speed of unlike ones. `auto`: only where memory has room for fewer than
   * four split streams.
   */
  unifiedKv: OnOffAuto;
  /** Layers on the RPC workers that are given beside these options. `auto`: only where it does not fit this machine. */
  rpc: OnOffAuto;
  /** Absolute path of the GGUF file of the part of the model that sees (mmproj); '': none, and it reads text only. */
  projectorPath: string;
  /** Absolute path of the GGUF file of a small model with the same vocabulary, which guesses ahead; '': none. */
  draftModelPath: string;
  /** Of requests that leave it open. `draft` needs a draft model. */
  speculation: Speculation;
}

/** Element types of the KV cache, largest first; llama.cpp's names. */
export const KV_TYPES = [
  'f32',
  'f16',
  'bf16',
  'q8_0',
  'q5_1',
  'q5_0',
  'q4_1',
  'q4_0',
  'iq4_nl',
] as const;
export type KvType = (typeof KV_TYPES)[number];

export const ON_OFF_AUTO = ['auto', 'on', 'off'] as const;
export type OnOffAuto = (typeof ON_OFF_AUTO)[number];

/** Writes text; makes a vector of a text; scores a document against a query. */
export type ModelKind = 'generative' | 'embedding' | 'rerank';

export interface ModelInfo {
  kind: ModelKind;
  /** How an embedding model makes one vector of all tokens' states; null for a generative model. */
  pooling: 'mean' | 'cls' | 'last' | 'rank' | null;
  /** Numbers in a vector of an embedding model, else null. */
  embeddingSize: number | null;
  /** general.name of the file, or '' */
  name: string;
  architecture: string;
  /** Number of weights. */
  parameters: number;
  /** llama.cpp's description, such as "llama 1B Q8_0". */
  description: string;
  /** Bytes of all tensors. */
  sizeBytes: number;
  vocabularySize: number;
  /** Context the model was trained with, in tokens. */
  trainedContextLength: number;
  /** Context of each sequence as loaded, in tokens. */
  contextLength: number;
  parallel: number;
  threads: number;
  /** Layers on the GPU, the output layer included. */
  gpuLayers: number;
  /** One KV cache for all sequences, else one for each. */
  unifiedKv: boolean;
  /** Size of the KV cache in tokens, over all sequences. */
  kvCells: number;
  kvTypeK: KvType;
  kvTypeV: KvType;
  flashAttention: boolean;
  /** Main memory first, then the devices in use. */
  memory: DeviceMemory[];
  /** The file brings a chat template of its own. */
  hasChatTemplate: boolean;
  supportsThinking: boolean;
  /** Its image part is loaded: prompts may have images. */
  sees: boolean;
  hasDraftModel: boolean;
  /** Guesses can be taken back out of its memory; false for recurrent models, which then guess nothing. */
  canSpeculate: boolean;
  /** As loaded, of requests that leave it open. */
  speculation: Speculation;
  /** The chat template shows tools to the model; one that does not leaves them out, and no call can be required. */
  supportsTools: boolean;
  /** Compute devices in use, such as "CPU" or "Metal". */
  devices: string[];
}

/** Memory on one device, bytes. */
export interface DeviceMemory {
  /** "CPU" for main memory, "RPC address:port" of an RPC worker, else the device's description. */
  name: string;
  /** Of an RPC worker: no memory of this machine. */
  isRemote: boolean;
  weightsBytes: number;
  /** KV cache and recurrent states. */
  kvBytes: number;
  computeBytes: number;
}

/** What a model would take, and with which context. */
export interface MemoryEstimate {
  fits: boolean;
  /** A sentence for people where it does not fit, with what is needed and what is free. */
  reason: string | null;
  /** Tokens of each sequence. */
  contextLength: number;
  parallel: number;
  /** -1: all. */
  gpuLayers: number;
  unifiedKv: boolean;
  /** Tokens over all sequences. */
  kvCells: number;
  /** Of this plan, or of the smallest one where none fits. Main memory first. */
  memory: DeviceMemory[];
  /** What the model may take, over all those devices. */
  freeBytes: number;
}

export type LoadErrorCode =
  | 'not_a_gguf'
  /** A GGUF file of another kind: an adapter, a projector, a later part of a split model. */
  | 'not_a_model'
  /** A split model whose parts are not all there. */
  | 'missing_part'
  /** What lies beside the model as its image part takes no images. */
  | 'not_a_projector'
  /** The image part belongs to another model. */
  | 'projector_mismatch'
  | 'truncated'
  | 'unsupported_architecture'
  | 'bad_chat_template'
  /** The options contradict each other or the model. */
  | 'invalid_options'
  | 'out_of_memory'
  | 'file_unreadable'
  | 'cancelled'
  | 'engine_crashed'
  | 'load_failed';

/**
 * Where guesses for the next tokens come from: nowhere, from what the prompt and the answer have said before, or from
 * the draft model. The model checks several guesses in one step and keeps those that it writes itself.
 */
export const SPECULATION = ['off', 'ngram', 'draft'] as const;
export type Speculation = (typeof SPECULATION)[number];
