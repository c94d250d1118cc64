/** What OpenAI's Responses API answers: items and the response; events are in response-events.ts. Sources as for the requests. */
import { z } from 'zod';
import { timingsSchema, tokenLogprobSchema } from './openai.js';
import {
  EFFORTS,
  functionToolSchema,
  itemStatusSchema,
  textFormatSchema,
  toolChoiceSchema,
} from './responses.js';

export const outputTextSchema = z.object({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(z.never()),
  logprobs: z.array(tokenLogprobSchema).optional(),
});
export type OutputText = z.infer<typeof outputTextSchema>;

export const reasoningTextSchema = z.object({
  type: z.literal('reasoning_text'),
  text: z.string(),
});
export type ReasoningText = z.infer<typeof reasoningTextSchema>;

const outputMessageSchema = z.object({
  type: z.literal('message'),
  id: z.string(),
  role: z.literal('assistant'),
  status: itemStatusSchema,
  content: z.array(
    z.union([outputTextSchema, z.object({ type: z.literal('refusal'), refusal: z.string() })]),
  ),
});

const inputMessageSchema = z.object({
  type: z.literal('message'),
  id: z.string(),
  role: z.enum(['user', 'system', 'developer']),
  status: itemStatusSchema,
  content: z.array(
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('input_text'), text: z.string() }),
      z.object({
        type: z.literal('input_image'),
        image_url: z.string().describe('A data: URL. Of the user only.'),
        detail: z.enum(['auto', 'low', 'high']),
      }),
    ]),
  ),
});

const functionCallSchema = z.object({
  type: z.literal('function_call'),
  id: z.string(),
  call_id: z.string(),
  name: z.string(),
  arguments: z.string(),
  status: itemStatusSchema,
});

const functionCallOutputSchema = z.object({
  type: z.literal('function_call_output'),
  id: z.string(),
  call_id: z.string(),
  output: z.union([
    z.string(),
    z.array(z.object({ type: z.literal('input_text'), text: z.string() })),
  ]),
  status: itemStatusSchema,
});

const reasoningSchema = z.object({
  type: z.literal('reasoning'),
  id: z.string(),
  summary: z.array(z.object({ type: z.literal('summary_text'), text: z.string() })),
  content: z.array(reasoningTextSchema),
  status: itemStatusSchema,
});

export const outputItemSchema = z.discriminatedUnion('type', [
  reasoningSchema,
  outputMessageSchema,
  functionCallSchema,
]);
export type OutputItem = z.infer<typeof outputItemSchema>;

const conversationItemSchema = z.union([
  inputMessageSchema,
  outputMessageSchema,
  functionCallSchema,
  functionCallOutputSchema,
  reasoningSchema,
]);
/** An item of a conversation as it is kept and listed: complete, with an id of its own. */
export type ConversationItem = z.infer<typeof conversationItemSchema>;

const usageSchema = z.object({
  input_tokens: z.number().int(),
  input_tokens_details: z.object({
    cached_tokens: z.number().int(),
    cache_write_tokens: z.number().int(),
  }),
  output_tokens: z.number().int(),
  output_tokens_details: z.object({
    reasoning_tokens: z
      .number()
      .int()
      .describe('Up to and including the token that ends the last piece of reasoning.'),
  }),
  total_tokens: z.number().int(),
});

export const responseSchema = z.object({
  id: z.string(),
  object: z.literal('response'),
  created_at: z.number().int().describe('Unix seconds.'),
  completed_at: z.number().int().nullable(),
  status: z.enum(['in_progress', 'completed', 'incomplete', 'failed', 'cancelled']),
  background: z.literal(false),
  error: z
    .object({
      code: z.enum(['server_error', 'rate_limit_exceeded', 'invalid_prompt']),
      message: z.string(),
    })
    .nullable(),
  incomplete_details: z.object({ reason: z.literal('max_output_tokens') }).nullable(),
  instructions: z.string().nullable(),
  max_output_tokens: z.number().int().nullable(),
  max_tool_calls: z.number().int().nullable(),
  metadata: z.record(z.string(), z.string()),
  model: z.string(),
  output: z.array(outputItemSchema),
  parallel_tool_calls: z.boolean(),
  previous_response_id: z.string().nullable(),
  reasoning: z.object({ effort: z.enum(EFFORTS).nullable(), summary: z.null() }),
  store: z.boolean().describe('False also where the response could not be kept.'),
  temperature: z.number().nullable().describe('Null: as the model recommends.'),
  text: z.looseObject({ format: textFormatSchema }),
  tool_choice: toolChoiceSchema,
  tools: z.array(functionToolSchema),
  top_logprobs: z.number().int(),
  top_p: z.number().nullable().describe('Null: as the model recommends.'),
  truncation: z.literal('disabled'),
  usage: usageSchema.nullable(),
  user: z.string().nullable(),
  timings: timingsSchema.optional().describe('Our addition, once there is an end.'),
});
/** The whole answer. */
export type ResponseObject = z.infer<typeof responseSchema>;

/** DELETE /v1/responses/{id}. */
export const deletedResponseSchema = z.object({
  id: z.string(),
  object: z.literal('response'),
  deleted: z.literal(true),
});
export type DeletedResponse = z.infer<typeof deletedResponseSchema>;

/** GET /v1/responses/{id}/input_items. */
export const inputItemListSchema = z.object({
  object: z.literal('list'),
  data: z.array(conversationItemSchema),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
  has_more: z.boolean(),
});
export type InputItemList = z.infer<typeof inputItemListSchema>;

/** POST /v1/responses/input_tokens. */
export const inputTokensSchema = z.object({
  object: z.literal('response.input_tokens'),
  input_tokens: z.number().int(),
});
export type InputTokens = z.infer<typeof inputTokensSchema>;
