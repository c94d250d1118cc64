/** OpenAI's Responses API as this server reads and writes it. Sources: the API reference and the types of openai-node. */
import { z } from 'zod';
import { generationShape } from './generation-parameters.js';
import {
  functionShape,
  templateVariablesSchema,
  type WireTimings,
  type WireTokenLogprob,
} from './openai.js';

/** Anything with a type of its own; what a type needs is checked where it is used, so that errors name the place. */
const typedSchema = z.looseObject({ type: z.string() });

const itemStatus = z.enum(['in_progress', 'completed', 'incomplete']);
const optionalStatus = itemStatus.nullish();
const optionalId = z.string().min(1).max(128).nullish();

const inputContentSchema = z
  .union([z.string(), z.array(typedSchema)])
  .describe('A text, or parts of the types input_text, output_text and refusal.');

export const messageItemSchema = z.looseObject({
  type: z.literal('message').nullish(),
  id: optionalId,
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content: inputContentSchema,
  status: optionalStatus,
});

export const functionCallItemSchema = z.looseObject({
  type: z.literal('function_call'),
  id: optionalId,
  call_id: z.string().min(1),
  name: z.string().min(1),
  arguments: z.string().describe('JSON text.'),
  status: optionalStatus,
});

export const functionCallOutputItemSchema = z.looseObject({
  type: z.literal('function_call_output'),
  id: optionalId,
  call_id: z.string().min(1),
  output: inputContentSchema,
  status: optionalStatus,
});

export const reasoningItemSchema = z.looseObject({
  type: z.literal('reasoning'),
  id: optionalId,
  summary: z.array(z.looseObject({ text: z.string() })).nullish(),
  content: z.array(z.looseObject({ text: z.string() })).nullish(),
  status: optionalStatus,
});

export const itemReferenceSchema = z.looseObject({
  type: z.literal('item_reference').nullish(),
  id: z.string().min(1),
});

const inputItemSchema = z.union([
  messageItemSchema,
  functionCallItemSchema,
  functionCallOutputItemSchema,
  reasoningItemSchema,
  itemReferenceSchema,
]);

export const functionToolSchema = z.looseObject({ type: z.literal('function'), ...functionShape });
export type ResponseTool = z.infer<typeof functionToolSchema>;

const namedToolSchema = z.looseObject({ type: z.literal('function'), name: z.string().min(1) });

const toolChoiceSchema = z.union([
  z.enum(['none', 'auto', 'required']),
  namedToolSchema,
  z.looseObject({
    type: z.literal('allowed_tools'),
    mode: z.enum(['auto', 'required']),
    tools: z.array(namedToolSchema).min(1),
  }),
]);
export type ResponseToolChoice = z.infer<typeof toolChoiceSchema>;

const textFormatSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    name: z.string().nullish(),
    description: z.string().nullish(),
    schema: z.looseObject({}),
    strict: z.boolean().nullish(),
  }),
]);
export type ResponseTextFormat = z.infer<typeof textFormatSchema>;

export const INCLUDABLE = [
  'message.output_text.logprobs',
  // What the others would add comes from tools that there are none of, or is in the answer in any case.
  'reasoning.encrypted_content',
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
] as const;

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

/** Limits of the reference. */
const METADATA = { pairs: 16, key: 64, value: 512 };
const metadataSchema = z
  .record(z.string().max(METADATA.key), z.string().max(METADATA.value))
  .refine((pairs) => Object.keys(pairs).length <= METADATA.pairs);

const {
  max_tokens: _chat,
  max_completion_tokens: maxTokens,
  n: _choices,
  stream_options: _usage,
  ...sharedShape
} = generationShape;

/** POST /v1/responses, and POST /v1/responses/input_tokens. */
export const responseRequestSchema = z.looseObject({
  ...sharedShape,
  stream_options: z.looseObject({ include_obfuscation: z.boolean().nullish() }).nullish(),
  input: z.union([z.string(), z.array(inputItemSchema)]).nullish(),
  instructions: z
    .string()
    .nullish()
    .describe(
      'Comes before all else as a system message; not taken over from a previous response.',
    ),
  previous_response_id: z
    .string()
    .nullish()
    .describe(
      'Goes on after this response: all its input and output, and that of those before it.',
    ),
  store: z
    .boolean()
    .nullish()
    .describe('Keep the response, so that it can be read and gone on with. Default true.'),
  max_output_tokens: maxTokens.describe('Reasoning included.'),
  max_tool_calls: z
    .number()
    .int()
    .min(1)
    .nullish()
    .describe('Of tools that the server runs, of which there are none: functions are not counted.'),
  include: z.array(z.enum(INCLUDABLE)).nullish(),
  top_logprobs: z.number().int().min(0).max(20).nullish(),
  text: z.looseObject({ format: textFormatSchema.nullish() }).nullish(),
  tools: z.array(functionToolSchema).max(512).nullish(),
  tool_choice: toolChoiceSchema.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  reasoning: z
    .looseObject({ effort: z.enum(EFFORTS).nullish() })
    .nullish()
    .describe('Effort "none" asks for an answer without reasoning.'),
  metadata: metadataSchema.nullish(),
  chat_template_kwargs: templateVariablesSchema.nullish(),
});

/** The same with lists whose elements are still to be checked one by one, so that errors can name each. */
export const responseBodySchema = responseRequestSchema.extend({
  input: z.union([z.string(), z.array(z.unknown())]).nullish(),
  tools: z.array(typedSchema).max(512).nullish(),
});
export type ResponseBody = z.infer<typeof responseBodySchema>;

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
  status: itemStatus,
  content: z.array(
    z.union([outputTextSchema, z.object({ type: z.literal('refusal'), refusal: z.string() })]),
  ),
});

const inputMessageSchema = z.object({
  type: z.literal('message'),
  id: z.string(),
  role: z.enum(['user', 'system', 'developer']),
  status: itemStatus,
  content: z.array(z.object({ type: z.literal('input_text'), text: z.string() })),
});

const functionCallSchema = z.object({
  type: z.literal('function_call'),
  id: z.string(),
  call_id: z.string(),
  name: z.string(),
  arguments: z.string(),
  status: itemStatus,
});

const functionCallOutputSchema = z.object({
  type: z.literal('function_call_output'),
  id: z.string(),
  call_id: z.string(),
  output: z.union([
    z.string(),
    z.array(z.object({ type: z.literal('input_text'), text: z.string() })),
  ]),
  status: itemStatus,
});

const reasoningSchema = z.object({
  type: z.literal('reasoning'),
  id: z.string(),
  summary: z.array(z.object({ type: z.literal('summary_text'), text: z.string() })),
  content: z.array(reasoningTextSchema),
  status: itemStatus,
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
