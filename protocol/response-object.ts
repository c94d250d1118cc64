/** What OpenAI's Responses API answers: items, the response, the events of its stream. Sources as for the requests. */
import { z } from 'zod';
import type { WireTimings, WireTokenLogprob } from './openai.js';
import {
  EFFORTS,
  functionToolSchema,
  itemStatusSchema,
  textFormatSchema,
  toolChoiceSchema,
} from './responses.js';

const logprobSchema = z.object({
  token: z.string(),
  logprob: z.number(),
  bytes: z.array(z.number()),
});

const outputTextSchema = z.object({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(z.never()),
  logprobs: z.array(logprobSchema.extend({ top_logprobs: z.array(logprobSchema) })).optional(),
});
export type OutputText = z.infer<typeof outputTextSchema>;

const reasoningTextSchema = z.object({ type: z.literal('reasoning_text'), text: z.string() });
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
  content: z.array(z.object({ type: z.literal('input_text'), text: z.string() })),
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

const outputItemSchema = z.discriminatedUnion('type', [
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
});

/** The whole answer. `timings` is our addition, once there is an end. */
export type ResponseObject = z.infer<typeof responseSchema> & { timings?: WireTimings };

interface ItemPlace {
  output_index: number;
  item_id: string;
}

interface PartPlace extends ItemPlace {
  content_index: number;
}

/** The events of a stream, each without its sequence_number. */
export type ResponseEvent =
  | {
      type:
        | 'response.created'
        | 'response.in_progress'
        | 'response.completed'
        | 'response.incomplete'
        | 'response.failed';
      response: ResponseObject;
    }
  | {
      type: 'response.output_item.added' | 'response.output_item.done';
      output_index: number;
      item: OutputItem;
    }
  | ({
      type: 'response.content_part.added' | 'response.content_part.done';
      part: OutputText | ReasoningText;
    } & PartPlace)
  | ({
      type: 'response.output_text.delta';
      delta: string;
      logprobs: WireTokenLogprob[];
    } & PartPlace)
  | ({
      type: 'response.output_text.done';
      text: string;
      logprobs: WireTokenLogprob[];
    } & PartPlace)
  | ({ type: 'response.reasoning_text.delta'; delta: string } & PartPlace)
  | ({ type: 'response.reasoning_text.done'; text: string } & PartPlace)
  | ({ type: 'response.function_call_arguments.delta'; delta: string } & ItemPlace)
  | ({
      type: 'response.function_call_arguments.done';
      name: string;
      arguments: string;
    } & ItemPlace);

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
