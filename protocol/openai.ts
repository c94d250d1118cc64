/** OpenAI wire shapes that this server reads and writes. Sources: the API reference and the types of openai-node. */
import { z } from 'zod';
import { generationShape } from './generation-parameters.js';

const textPartSchema = z.looseObject({ type: z.literal('text'), text: z.string() });
const partSchema = z.union([textPartSchema, z.looseObject({ type: z.string() })]);
const contentSchema = z.union([z.string(), z.array(partSchema)]).nullish();

const toolCallSchema = z.looseObject({
  id: z.string(),
  type: z.literal('function'),
  function: z.looseObject({ name: z.string().min(1), arguments: z.string() }),
});

export const chatMessageSchema = z.looseObject({
  role: z.enum(['developer', 'system', 'user', 'assistant', 'tool', 'function']),
  content: contentSchema,
  name: z.string().nullish(),
  reasoning_content: z.string().nullish(),
  tool_calls: z.array(toolCallSchema).nullish(),
  tool_call_id: z.string().nullish(),
});
export type WireChatMessage = z.infer<typeof chatMessageSchema>;

const namedFunctionSchema = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject({ name: z.string().min(1) }),
});

/** A function as a tool. */
export const functionShape = {
  // The reference allows 64 characters; agents build longer names, which harm nobody.
  name: z.string().regex(/^[\w.-]{1,128}$/),
  description: z.string().nullish(),
  parameters: z.looseObject({}).nullish(),
  strict: z.boolean().nullish(),
};

const toolSchema = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject(functionShape),
});
export type WireTool = z.infer<typeof toolSchema>;

const toolChoiceSchema = z.union([
  z.enum(['none', 'auto', 'required']),
  namedFunctionSchema,
  z.looseObject({
    type: z.literal('allowed_tools'),
    allowed_tools: z.looseObject({
      mode: z.enum(['auto', 'required']),
      tools: z.array(namedFunctionSchema).min(1),
    }),
  }),
]);
export type WireToolChoice = z.infer<typeof toolChoiceSchema>;

export const responseFormatSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    json_schema: z.looseObject({
      name: z.string().nullish(),
      description: z.string().nullish(),
      schema: z.looseObject({}).nullish(),
      strict: z.boolean().nullish(),
    }),
  }),
]);
export type WireResponseFormat = z.infer<typeof responseFormatSchema>;

/** Variables for the model's chat template. Jinja can read no other names. */
export const templateVariablesSchema = z
  .looseObject({ enable_thinking: z.boolean().nullish() })
  .refine((variables) => Object.keys(variables).every((name) => /^[A-Za-z_]\w*$/.test(name)));

/** POST /v1/chat/completions. */
export const chatCompletionRequestSchema = z.looseObject({
  ...generationShape,
  messages: z.array(chatMessageSchema).min(1),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.number().int().min(0).max(20).nullish(),
  response_format: responseFormatSchema.nullish(),
  tools: z.array(toolSchema).max(512).nullish(),
  tool_choice: toolChoiceSchema.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  chat_template_kwargs: templateVariablesSchema.nullish(),
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
  /** Tokens that were guessed ahead, and how many of them became part of the answer. */
  drafted_tokens: number;
  accepted_tokens: number;
}

/** One token's log probability, natural logarithm. `token` shows bytes that are no whole characters as U+FFFD. */
export interface WireLogprob {
  token: string;
  logprob: number;
  bytes: number[];
}

export interface WireTokenLogprob extends WireLogprob {
  top_logprobs: WireLogprob[];
}

export interface WireLogprobs {
  content: WireTokenLogprob[];
  refusal: null;
}

export interface WireToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/** `id`, `type` and the name come in the first piece of a call only. */
export interface WireToolCallDelta {
  index: number;
  id?: string;
  type?: 'function';
  function: { name?: string; arguments: string };
}

export interface ChatCompletionDelta {
  role?: 'assistant';
  content?: string;
  reasoning_content?: string;
  tool_calls?: WireToolCallDelta[];
}

export interface ChatCompletionChunk {
  id: string;
  object: 'chat.completion.chunk';
  created: number;
  model: string;
  choices: {
    index: number;
    delta: ChatCompletionDelta;
    logprobs: WireLogprobs | null;
    finish_reason: WireFinishReason | null;
  }[];
  usage?: Usage | null;
  timings?: WireTimings;
}

export interface ChatCompletionChoice {
  index: number;
  message: {
    role: 'assistant';
    /** Null: nothing but tool calls. */
    content: string | null;
    refusal: null;
    reasoning_content?: string;
    tool_calls?: WireToolCall[];
  };
  logprobs: WireLogprobs | null;
  finish_reason: WireFinishReason;
}

export interface ChatCompletion {
  id: string;
  object: 'chat.completion';
  created: number;
  model: string;
  choices: ChatCompletionChoice[];
  usage: Usage;
  /** Of the first choice. */
  timings: WireTimings;
}
