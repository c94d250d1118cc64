/** Generations as an engine knows them: what is asked, and the events that tell of it. No wire format of any protocol. */
import type { Speculation } from './engine-load.js';

/** A message of the conversation as the chat template gets it. */
export interface ChatMessage {
  /** A template that does not know `developer` gets `system` in its place. */
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  /**
   * Parts stay parts for a template that takes parts; any other gets their texts, joined with line feeds, and images at
   * their places among them.
   */
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

export type ContentPart =
  | { type: 'text'; text: string }
  /** The bytes of a PNG, JPEG or GIF file. Refused with `no_vision` by a model that does not see. */
  | {
      type: 'image';
      data: Uint8Array;
      /** For the server's errors; the engine passes over it. */
      place?: ImagePlace;
    };

/** Where a request has an image, such as "messages[0].content[1]" and "messages[0].content[1].image_url.url". */
export interface ImagePlace {
  part: string;
  value: string;
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
  /** A schema of which a part cannot be enforced is refused, in place of allowing more there. */
  strict: boolean;
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
  /** The latest tokens of the answer that penalties look at, >= 0; null: all. */
  penalizedTokens: number | null;
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
  /** Each of them ends the text; it is a token of the answer all the same, with no text of its own. Absent: none. */
  stopTokenIds?: number[];
  /** End-of-generation tokens are tokens like any other. Absent: they end the text, and are no tokens of it. */
  ignoreEog?: boolean;
  /** `accepted` of the first choice has the prompt as the model reads it. Absent: it has not. */
  showPrompt?: boolean;
  /**
   * Absent: nothing is told of the prompt. >= 0: the log probability of each of its tokens but the first, and that many
   * of the most likely ones'; beyond the vocabulary the same as `all`. The prompt is then computed whole, and its
   * `prompt-logprobs` come with the first choice. Refused with `too_many_prompt_logprobs` beyond a million of them, and where the
   * prompt has images.
   */
  promptLogprobs?: number | 'all';
  priority: RequestPriority;
  /**
   * Null: as the model was loaded. Nothing is guessed where the prompt has images. `draft` without a draft model is refused with `no_draft_model`. With a seed nothing
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
 * Why a sequence ended; mapped to each wire format in one place. `tool_calls`: by itself, after at least one complete
 * tool call.
 */
export type FinishReason =
  | 'eog'
  | 'stop_string'
  | 'stop_token'
  | 'length'
  | 'tool_calls'
  | 'cancelled';

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
  /** An image cannot be read; `input` is its index among the prompt's. */
  | 'invalid_image'
  /** The prompt has images, and the model does not see. */
  | 'no_vision'
  | 'invalid_logit_bias'
  | 'too_many_prompt_logprobs'
  | 'no_draft_model'
  | 'template_failed'
  /** A tool's name or schema cannot be used. */
  | 'invalid_tool'
  /** A tool call cannot be required. */
  | 'invalid_tool_choice'
  /** A grammar or schema that cannot be used; the message says why. */
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
 * times, and among them `prompt-logprobs` where asked for; then for each sampled token that is not end-of-generation one `token`, index from 0 without gaps, also when
 * its text is empty, each followed by the `delta` it gives for a chat; then exactly one `done` or `error`, and nothing
 * after it.
 */
export type EngineEvent =
  | {
      type: 'accepted';
      seq: number;
      promptTokens: number;
      /** Where asked for. */
      prompt?: ShownPrompt;
    }
  /** Waiting or prefill: `queued` requests are ahead, or `prefilled` of `promptTokens` are in the KV cache. */
  | { type: 'progress'; seq: number; queued: number; prefilled: number; promptTokens: number }
  | PromptLogprobsEvent
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
      /** With `stop_string`: which of the request's own it was; absent where the template's end marker was met. */
      stopString?: string;
      promptTokens: number;
      /** Prompt tokens taken from the KV cache instead of being computed. */
      cachedTokens: number;
      outputTokens: number;
      timings: Timings;
    }
  | {
      type: 'error';
      seq: number;
      code: EngineErrorCode;
      message: string;
      /** Index of the tool or image at fault, where one is. */
      input?: number;
    };

/** A prompt as the model reads it. */
export interface ShownPrompt {
  /** As rendered and then tokenized, with "<image>" for each image; '' where the request had token ids. */
  text: string;
  /** -1 at each place of an image. */
  tokenIds: Int32Array;
}

/**
 * Log probabilities of some tokens of the prompt, in order; those of all events follow each other without gaps, from the
 * second token on. A token has some entries: its own, then the most likely tokens' without it, most likely first. Flat,
 * because a whole vocabulary for each token makes many.
 */
export interface PromptLogprobsEvent {
  type: 'prompt-logprobs';
  seq: number;
  /** Index of the first of these tokens in the prompt, >= 1. */
  first: number;
  /** Number of entries of each of these tokens. */
  entries: Int32Array;
  /** Of each entry, one token's behind the other's. */
  tokenIds: Int32Array;
  /** Of each entry. Natural logarithms; minus infinity where a token cannot come. */
  logprobs: Float32Array;
  /** Of each entry. 1: the most likely token of the vocabulary. */
  ranks: Int32Array;
  /** Token ids that come for the first time in this request, each once. */
  namedIds: Int32Array;
  /** Length of each of their texts, in bytes. */
  byteLengths: Int32Array;
  /** Their texts, one behind the other; not necessarily whole characters. */
  bytes: Uint8Array;
}

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
