/**
 * The engine channel: messages between the server and the process that holds one loaded model. Plain structured-clone
 * data, no wire format of any client protocol. One `events` message carries everything one decode step produced.
 */
import type { EngineCall, EngineCallFailure, EngineCallResult } from './engine-calls.js';

/** A message of the conversation as the chat template gets it. */
export interface ChatMessage {
  /** A template that does not know `developer` gets `system` in its place. */
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  /** Parts stay parts for a template that takes parts; any other gets their texts, joined with line feeds. */
  content: string | ContentPart[];
  /** Earlier reasoning of an assistant turn; templates that do not know it leave it out. */
  reasoningContent?: string;
  /** What an assistant turn called; not to be combined with `continueFinalMessage`. */
  toolCalls?: ToolCall[];
  /** Of a tool's result: which call it answers. */
  toolCallId?: string;
  /** Of a tool's result: the tool's name. */
  name?: string;
}

export interface ContentPart {
  type: 'text';
  text: string;
}

export interface ToolCall {
  /** May be empty where nobody refers to the call. */
  id: string;
  name: string;
  /** JSON text. */
  arguments: string;
}

export interface Tool {
  /** Letters, digits, `_`, `-` and `.`; 1 to 64 characters; unique in the request. */
  name: string;
  description: string;
  /** JSON Schema of the arguments as JSON text: an object, `{}` for a tool without arguments. */
  parameters: string;
}

/**
 * `required` and a name force a call from the first token on: neither text nor another tool can come before it (only
 * reasoning can, where the model's format begins with it). With `none` no call is parsed.
 */
export type ToolChoice = 'auto' | 'none' | 'required' | { name: string };

export type Prompt =
  | {
      kind: 'chat';
      messages: ChatMessage[];
      /** Reasoning models: false asks the template for an answer without reasoning. */
      enableThinking: boolean;
      /** The last message is the beginning of the assistant's turn, to be continued. */
      continueFinalMessage: boolean;
      tools: Tool[];
      toolChoice: ToolChoice;
      /** False: at most one call in the answer. */
      parallelToolCalls: boolean;
      /** Variables for the template, each as JSON text, such as `reasoning_effort`: `"low"`. */
      templateKwargs: Record<string, string>;
    }
  | { kind: 'text'; text: string }
  | { kind: 'tokens'; tokenIds: number[] };

/**
 * What an answer must look like, enforced while it is sampled. In a chat, a JSON kind concerns the answer and not the
 * reasoning before it, while `gbnf` holds from the first token on and excludes tools, unless `toolChoice` is `none`.
 * A JSON kind beside tools: a call that is required wins; with `auto` the answer is the JSON, and no call is made.
 */
export type Grammar =
  /** JSON Schema as JSON text, an object. */
  | { kind: 'json_schema'; schema: string }
  /** Any JSON object. */
  | { kind: 'json_object' }
  /** llama.cpp's grammar notation; the start symbol is `root`. */
  | { kind: 'gbnf'; text: string };

/**
 * Sampling parameters with OpenAI's meaning; every field has been checked by the server. Null: what the model's file
 * recommends (general.sampling.* in its metadata), else 0.8, 0.95, 40 and 0.05.
 */
export interface SamplingParams {
  /** 0..2; 0 is greedy. */
  temperature: number | null;
  /** 0..1; 1 disables. */
  topP: number | null;
  /** >= 0; 0 disables. */
  topK: number | null;
  /** 0..1; 0 disables. */
  minP: number | null;
  /** -2..2 */
  presencePenalty: number;
  /** -2..2 */
  frequencyPenalty: number;
  /** > 0; 1 disables. */
  repeatPenalty: number;
  /** 0..2^32-2, or null for a random one (llama.cpp takes 2^32-1 for that). */
  seed: number | null;
  /** Token id → bias in -100..100. */
  logitBias: [tokenId: number, bias: number][];
  /** Null: none. 0..20: each token's own log probability, and that many of the most likely tokens'. */
  logprobs: number | null;
}

export interface GenerationRequest {
  /** Chosen by the server, unique within one engine process; names the sequence in every event. */
  seq: number;
  prompt: Prompt;
  sampling: SamplingParams;
  /** Null: anything. */
  grammar: Grammar | null;
  /** >= 1, or null: until the model ends or the context is full. */
  maxTokens: number | null;
  /** None empty. The text from the first match on is not emitted. */
  stop: string[];
  priority: RequestPriority;
  /**
   * Null: as the model was loaded. `draft` without a draft model is refused with `no_draft_model`. With a seed nothing
   * is guessed, nor where the model's memory cannot give guesses back (`ModelInfo.canSpeculate`).
   */
  speculation: Speculation | null;
  /**
   * Sequence ids of further choices (n > 1): the same prompt, computed once, with the next seeds. Each has events of its
   * own; only the first choice's sequence is named by `seq`.
   */
  forks: number[];
}

/** Who is served first while there is a queue; nobody starves (see native/src/scheduler.h). */
export type RequestPriority = 'interactive' | 'normal' | 'background';

/**
 * Where guesses for the next tokens come from: nowhere, from what the prompt and the answer have said before, or from
 * the draft model. The model checks several guesses in one step and keeps those that it writes itself.
 */
export const SPECULATION = ['off', 'ngram', 'draft'] as const;
export type Speculation = (typeof SPECULATION)[number];

/**
 * Why a sequence ended; mapped to each wire format in one place. `tool_calls`: by itself, after at least one complete
 * tool call.
 */
export type FinishReason = 'eog' | 'stop_string' | 'length' | 'tool_calls' | 'cancelled';

/** All but the counts on one monotonic clock, milliseconds. */
export interface Timings {
  /** Accepted until its first prefill batch. */
  queueMs: number;
  /** First prefill batch until the prompt is in the KV cache. */
  prefillMs: number;
  /** Accepted until the first sampled token. 0 when there was none. */
  ttftMs: number;
  /** Accepted until the end. */
  totalMs: number;
  /** Output tokens over the time after the first one; 0 with fewer than two tokens. */
  tokensPerSecond: number;
  /** Tokens that were guessed and checked; 0 without speculation. */
  draftedTokens: number;
  /** How many of them are part of the output. */
  acceptedTokens: number;
}

export type EngineErrorCode =
  | 'context_length_exceeded'
  | 'invalid_prompt'
  | 'invalid_logit_bias'
  | 'no_draft_model'
  | 'template_failed'
  /** A grammar or schema, also one of a tool, that cannot be used; the message says why. */
  | 'invalid_grammar'
  | 'queue_full'
  | 'out_of_memory'
  | 'engine_failed'
  /** The engine process ended (killed, crashed) before the sequence did. */
  | 'engine_crashed'
  | 'shutting_down'
  /** A call that was cancelled; a generation ends with `done` instead. */
  | 'cancelled'
  /** The model makes embeddings or scores. */
  | 'not_generative'
  | 'not_embedding'
  | 'not_rerank';

/**
 * Order for one sequence: `accepted` (the prompt is rendered, tokenized and fits) or `error`, or `done` when it was
 * cancelled before; `progress` any number of
 * times; then for each sampled token that is not end-of-generation one `token`, index from 0 without gaps, also when
 * its text is empty, each followed by the `delta` it gives for a chat; then exactly one `done` or `error`, and nothing
 * after it.
 */
export type EngineEvent =
  | { type: 'accepted'; seq: number; promptTokens: number }
  /** Waiting or prefill: `queued` requests are ahead, or `prefilled` of `promptTokens` are in the KV cache. */
  | { type: 'progress'; seq: number; queued: number; prefilled: number; promptTokens: number }
  | {
      type: 'token';
      seq: number;
      index: number;
      tokenId: number;
      text: string;
      /** Where asked for: the token itself, then the most likely ones. */
      logprobs?: TokenLogprob[];
    }
  | {
      type: 'delta';
      seq: number;
      content: string;
      reasoning: string;
      /** Pieces of tool calls, in order. */
      toolCalls: ToolCallDelta[];
    }
  | {
      type: 'done';
      seq: number;
      finishReason: FinishReason;
      promptTokens: number;
      /** Prompt tokens taken from the KV cache instead of being computed. */
      cachedTokens: number;
      outputTokens: number;
      timings: Timings;
    }
  | { type: 'error'; seq: number; code: EngineErrorCode; message: string };

/** A piece of a tool call: the concatenation of its pieces is the call. */
export interface ToolCallDelta {
  /** Of the call within the answer, from 0 without gaps. */
  index: number;
  /**
   * In the first piece of a call, with `name`: the model's own where it writes it before the arguments, else a new one
   * of nine letters and digits.
   */
  id?: string;
  name?: string;
  /** JSON text; whole only after the last piece. */
  arguments: string;
}

/** Natural logarithm of a token's probability under the model, before any sampling parameter. */
export interface TokenLogprob {
  tokenId: number;
  logprob: number;
  /** Not necessarily whole characters. */
  bytes: Uint8Array;
}

export interface LoadOptions {
  /** Absolute path of the GGUF file. */
  path: string;
  /** Context of each sequence in tokens; 0: the model's own, within the memory that is free. */
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
  /** Milliseconds that a step with running streams should not exceed because of prefill; 0: the engine's default. */
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
  /** "CPU" for main memory, else the device's description. */
  name: string;
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
}

export type LoadErrorCode =
  | 'not_a_gguf'
  /** A GGUF file of another kind: an adapter, a projector, a later part of a split model. */
  | 'not_a_model'
  /** A split model whose parts are not all there. */
  | 'missing_part'
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

export interface EngineStats {
  /** Sequences in prefill or decode. */
  running: number;
  /** Requests that wait for a slot. */
  waiting: number;
  slots: number;
  /** Decode steps since the model was loaded. */
  steps: number;
  /** Largest number of sequences that shared one batch. */
  peakBatchSequences: number;
  /** How often a sequence had to give up its cells of a unified KV cache and wait for room. */
  interrupted: number;
}

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

export type ServerToEngine =
  /** `backends`: files of the modules to load before the model; empty where the engine has all inside. */
  | { type: 'load'; options: LoadOptions; backends: string[] }
  /** Gives up the load that is under way: `load-failed` with `cancelled` follows. Without effect after its end. */
  | { type: 'cancel-load' }
  /** Loads one module and computes on its devices: `probed` or `probe-failed`, or the process ends. Never with a model. */
  | { type: 'probe'; file: string }
  /** How well one module suits the processor: `scored`, or the process ends. */
  | { type: 'score'; file: string }
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
  | { type: 'load-failed'; code: LoadErrorCode; message: string }
  | { type: 'probed'; module: BackendModule }
  /** The message is a sentence for people. `broken`: it loads and does not compute as it should. */
  | { type: 'probe-failed'; broken: boolean; message: string }
  /** 0: the processor cannot run it, or the file does not load. */
  | { type: 'scored'; score: number }
  | { type: 'events'; events: EngineEvent[] }
  | { type: 'call-done'; id: number; result: EngineCallResult }
  | ({ type: 'call-failed'; id: number } & EngineCallFailure);
