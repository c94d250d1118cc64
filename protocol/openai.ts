/** OpenAI wire shapes that this server reads and writes. Sources: the API reference and the types of openai-node. */
import { z } from 'zod';
import { generationShape } from './generation-parameters.js';

const textPartSchema = z.looseObject({ type: z.literal('text'), text: z.string() });
const partSchema = z.union([textPartSchema, z.looseObject({ type: z.string() })]);
const contentSchema = z
  .union([z.string(), z.array(partSchema)])
  .nullish()
  .describe(
    'Text, or parts: text, and image_url of the user, with a data: URL of a PNG, JPEG or GIF file, for a model with the ' +
      'capability "vision". Addresses are not fetched.',
  );

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
    message: z.string().describe('A sentence for people.'),
    type: z.string(),
    param: z.string().nullable().describe('The request parameter at fault, such as "messages[0]".'),
    code: z.string().nullable().describe('Stable, for programs.'),
  }),
});
export type ErrorBody = z.infer<typeof errorBodySchema>;

export const finishReasonSchema = z.enum([
  'stop',
  'length',
  'tool_calls',
  'content_filter',
  'function_call',
]);
export type WireFinishReason = z.infer<typeof finishReasonSchema>;

export const usageSchema = z.object({
  prompt_tokens: z.number().int().describe('Once, however many choices there are.'),
  completion_tokens: z.number().int().describe('Of all choices.'),
  total_tokens: z.number().int(),
  prompt_tokens_details: z.object({
    cached_tokens: z.number().int().describe('Of the prompt, taken from the KV cache.'),
  }),
});
export type Usage = z.infer<typeof usageSchema>;

/** Our addition to the last chunk with choices and to the collected answer. */
export const timingsSchema = z
  .object({
    queue_ms: z.number(),
    prefill_ms: z.number(),
    ttft_ms: z.number().describe('Time to first token.'),
    total_ms: z.number(),
    tokens_per_s: z.number(),
    drafted_tokens: z.number().int().describe('Guessed ahead.'),
    accepted_tokens: z.number().int().describe('Of them, those that became part of the answer.'),
  })
  .describe('Of the first choice; not in the reference.');
export type WireTimings = z.infer<typeof timingsSchema>;

const logprobSchema = z.object({
  token: z.string().describe('Bytes that are no whole characters show as U+FFFD.'),
  logprob: z.number().describe('Natural logarithm.'),
  bytes: z.array(z.number().int()),
});
export type WireLogprob = z.infer<typeof logprobSchema>;

export const tokenLogprobSchema = logprobSchema.extend({ top_logprobs: z.array(logprobSchema) });
export type WireTokenLogprob = z.infer<typeof tokenLogprobSchema>;

const logprobsSchema = z.object({ content: z.array(tokenLogprobSchema), refusal: z.null() });

const answerToolCallSchema = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string().describe('JSON text.') }),
});
export type WireToolCall = z.infer<typeof answerToolCallSchema>;

const toolCallDeltaSchema = z
  .object({
    index: z.number().int(),
    id: z.string().optional(),
    type: z.literal('function').optional(),
    function: z.object({ name: z.string().optional(), arguments: z.string() }),
  })
  .describe('A piece of a call; id, type and the name come in its first one only.');
export type WireToolCallDelta = z.infer<typeof toolCallDeltaSchema>;

const deltaSchema = z.object({
  role: z.literal('assistant').optional(),
  content: z.string().optional(),
  reasoning_content: z.string().optional(),
  tool_calls: z.array(toolCallDeltaSchema).optional(),
});

const headShape = {
  id: z.string(),
  created: z.number().int().describe('Unix seconds.'),
  model: z.string(),
};

/** What a stream of a chat completion is made of. */
export const chatCompletionChunkSchema = z.object({
  ...headShape,
  object: z.literal('chat.completion.chunk'),
  choices: z
    .array(
      z.object({
        index: z.number().int(),
        delta: deltaSchema,
        logprobs: logprobsSchema.nullable(),
        finish_reason: finishReasonSchema.nullable(),
      }),
    )
    .describe('Empty in the chunk with the usage.'),
  usage: usageSchema.nullable().optional().describe('Only with stream_options.include_usage.'),
  timings: timingsSchema.optional(),
});
export type ChatCompletionChunk = z.infer<typeof chatCompletionChunkSchema>;

const choiceSchema = z.object({
  index: z.number().int(),
  message: z.object({
    role: z.literal('assistant'),
    content: z.string().nullable().describe('Null: nothing but tool calls.'),
    refusal: z.null(),
    reasoning_content: z.string().optional(),
    tool_calls: z.array(answerToolCallSchema).optional(),
  }),
  logprobs: logprobsSchema.nullable(),
  finish_reason: finishReasonSchema,
});
export type ChatCompletionChoice = z.infer<typeof choiceSchema>;

export const chatCompletionSchema = z.object({
  ...headShape,
  object: z.literal('chat.completion'),
  choices: z.array(choiceSchema),
  usage: usageSchema,
  timings: timingsSchema,
});
export type ChatCompletion = z.infer<typeof chatCompletionSchema>;
