/** OpenAI wire shapes that this server reads and writes. Sources: the API reference and the types of openai-node. */
import { z } from 'zod';

const textPartSchema = z.looseObject({ type: z.literal('text'), text: z.string() });
const partSchema = z.union([textPartSchema, z.looseObject({ type: z.string() })]);
const contentSchema = z.union([z.string(), z.array(partSchema)]).nullish();

export const chatMessageSchema = z.looseObject({
  role: z.enum(['developer', 'system', 'user', 'assistant', 'tool', 'function']),
  content: contentSchema,
  name: z.string().nullish(),
  reasoning_content: z.string().nullish(),
  tool_calls: z.array(z.unknown()).nullish(),
  tool_call_id: z.string().nullish(),
});
export type WireChatMessage = z.infer<typeof chatMessageSchema>;

const range = (min: number, max: number) => z.number().min(min).max(max).nullish();

/**
 * POST /v1/chat/completions. Explicit null means the default. Ranges are those of the API reference; `top_k`,
 * `min_p` and `repeat_penalty` are the common local extensions; `priority` is ours: who is served first in a queue. Parameters in `unsupportedParameters` are refused by name.
 */
export const chatCompletionRequestSchema = z.looseObject({
  model: z.string().nullish(),
  messages: z.array(chatMessageSchema).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: z.number().min(1).refine(Number.isInteger).nullish(),
  max_completion_tokens: z.number().min(1).refine(Number.isInteger).nullish(),
  temperature: range(0, 2),
  top_p: range(0, 1),
  top_k: z.number().int().min(0).nullish(),
  min_p: range(0, 1),
  presence_penalty: range(-2, 2),
  frequency_penalty: range(-2, 2),
  repeat_penalty: z.number().positive().max(10).nullish(),
  // Clients send 64-bit seeds, which arrive rounded; any whole number is one.
  seed: z.number().refine(Number.isInteger).nullish(),
  stop: z.union([z.string().min(1), z.array(z.string().min(1)).max(4)]).nullish(),
  logit_bias: z.record(z.string(), z.number().min(-100).max(100)).nullish(),
  n: z.number().int().min(1).max(128).nullish(),
  priority: z.enum(['interactive', 'normal', 'background']).nullish(),
  chat_template_kwargs: z.looseObject({ enable_thinking: z.boolean().nullish() }).nullish(),
});
export type ChatCompletionRequest = z.infer<typeof chatCompletionRequestSchema>;

export const errorBodySchema = z.object({
  error: z.object({
    message: z.string(),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string().nullable(),
  }),
});
export type ErrorBody = z.infer<typeof errorBodySchema>;

export type WireFinishReason =
  | 'stop'
  | 'length'
  | 'tool_calls'
  | 'content_filter'
  | 'function_call';

export interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details: { cached_tokens: number };
}

/** Our addition to the last chunk with choices and to the collected answer. Milliseconds. */
export interface WireTimings {
  queue_ms: number;
  prefill_ms: number;
  ttft_ms: number;
  total_ms: number;
  tokens_per_s: number;
}

export interface ChatCompletionDelta {
  role?: 'assistant';
  content?: string;
  reasoning_content?: string;
}

export interface ChatCompletionChunk {
  id: string;
  object: 'chat.completion.chunk';
  created: number;
  model: string;
  choices: {
    index: number;
    delta: ChatCompletionDelta;
    logprobs: null;
    finish_reason: WireFinishReason | null;
  }[];
  usage?: Usage | null;
  timings?: WireTimings;
}

export interface ChatCompletion {
  id: string;
  object: 'chat.completion';
  created: number;
  model: string;
  choices: {
    index: number;
    message: {
      role: 'assistant';
      content: string;
      refusal: null;
      reasoning_content?: string;
    };
    logprobs: null;
    finish_reason: WireFinishReason;
  }[];
  usage: Usage;
  timings: WireTimings;
}
