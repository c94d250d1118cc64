/**
 * Anthropic's wire shapes that this server reads and writes: the Messages API, token counts, models and errors. Sources:
 * the API reference and the types of anthropic-sdk-typescript.
 */
import { z } from 'zod';
import { ttlSchema } from './generation-parameters.js';

const textBlockSchema = z.looseObject({ type: z.literal('text'), text: z.string() });

/** Blocks of a known type are read by hand, so that a refusal can name their place. */
const blockSchema = z.looseObject({ type: z.string() });
export type WireBlock = z.infer<typeof blockSchema>;

const contentSchema = z.union([z.string(), z.array(blockSchema)]);

export const anthropicMessageSchema = z.looseObject({
  role: z.enum(['user', 'assistant', 'system']),
  content: contentSchema.describe(
    'Text, or blocks: text anywhere; tool_use, thinking and redacted_thinking of the assistant; image (base64) and tool_result of the user.',
  ),
});
export type WireMessageParam = z.infer<typeof anthropicMessageSchema>;

/** A tool that the client runs; those that Anthropic's servers run, or that its models know by type, are refused. */
const toolSchema = z.looseObject({
  type: z.string().nullish(),
  name: z.string().nullish(),
  description: z.string().nullish(),
  input_schema: z.looseObject({}).nullish(),
  input_examples: z.array(z.looseObject({})).nullish(),
  defer_loading: z.boolean().nullish(),
  strict: z.boolean().nullish(),
});
export type WireAnthropicTool = z.infer<typeof toolSchema>;

const parallel = { disable_parallel_tool_use: z.boolean().nullish() };

const toolChoiceSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('auto'), ...parallel }),
  z.looseObject({ type: z.literal('any'), ...parallel }),
  z.looseObject({ type: z.literal('tool'), name: z.string().min(1), ...parallel }),
  z.looseObject({ type: z.literal('none') }),
]);
export type WireAnthropicToolChoice = z.infer<typeof toolChoiceSchema>;

const display = { display: z.enum(['summarized', 'omitted']).nullish() };

const thinkingSchema = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('enabled'),
    budget_tokens: z.number().int().min(1024),
    ...display,
  }),
  z.looseObject({ type: z.literal('adaptive'), ...display }),
  z.looseObject({ type: z.literal('disabled') }),
]);

const jsonFormatSchema = z.looseObject({
  type: z.literal('json_schema'),
  schema: z.looseObject({}),
});

const shape = {
  model: z.string().nullish().describe('Null: the current model.'),
  messages: z.array(anthropicMessageSchema).min(1),
  system: z.union([z.string(), z.array(textBlockSchema)]).nullish(),
  stop_sequences: z.array(z.string().min(1)).max(64).nullish(),
  temperature: z.number().min(0).max(1).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_k: z.number().int().min(0).nullish(),
  stream: z.boolean().nullish(),
  tools: z.array(toolSchema).max(512).nullish(),
  tool_choice: toolChoiceSchema.nullish(),
  thinking: thinkingSchema.nullish().describe('Null: as "disabled".'),
  output_config: z
    .looseObject({
      effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish(),
      format: jsonFormatSchema.nullish(),
    })
    .nullish(),
  output_format: jsonFormatSchema.nullish().describe('The older name of output_config.format.'),
  ttl: ttlSchema,
};

const maxTokens = z.number().int().min(0);

/** POST /v1/messages. `max_tokens: 0` only computes the prompt. */
export const messagesRequestSchema = z.looseObject({ ...shape, max_tokens: maxTokens });

/** POST /v1/messages/count_tokens: the same request; nothing is generated. */
export const countTokensRequestSchema = z.looseObject({
  ...shape,
  max_tokens: maxTokens.nullish(),
});
export type CountTokensRequest = z.infer<typeof countTokensRequestSchema>;

export const tokenCountSchema = z.object({ input_tokens: z.number().int() });
export type TokenCount = z.infer<typeof tokenCountSchema>;

export const stopReasonSchema = z.enum([
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'model_context_window_exceeded',
]);
export type StopReason = z.infer<typeof stopReasonSchema>;

const textSchema = z.object({
  type: z.literal('text'),
  text: z.string(),
  citations: z.null(),
});

const toolUseSchema = z.object({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
  caller: z.object({ type: z.literal('direct') }),
});

const thinkingBlockSchema = z.object({
  type: z.literal('thinking'),
  thinking: z.string(),
  signature: z.string(),
});

export const contentBlockSchema = z.discriminatedUnion('type', [
  textSchema,
  thinkingBlockSchema,
  toolUseSchema,
]);
export type ContentBlock = z.infer<typeof contentBlockSchema>;

/** The three input counts add up to the prompt's tokens. */
const inputUsage = {
  input_tokens: z.number().int(),
  cache_creation_input_tokens: z.literal(0),
  cache_read_input_tokens: z.number().int(),
};

const usageSchema = z.object({
  ...inputUsage,
  output_tokens: z.number().int(),
  cache_creation: z.null(),
  inference_geo: z.null(),
  output_tokens_details: z.null(),
  server_tool_use: z.null(),
  service_tier: z.literal('standard'),
  speed: z.null(),
});

export const messageSchema = z.object({
  id: z.string(),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.string(),
  content: z.array(contentBlockSchema),
  stop_reason: stopReasonSchema.nullable(),
  stop_sequence: z.string().nullable(),
  stop_details: z.null(),
  container: z.null(),
  diagnostics: z.null(),
  usage: usageSchema,
});
export type Message = z.infer<typeof messageSchema>;

const index = z.number().int();

export const messageEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message_start'), message: messageSchema }),
  z.object({ type: z.literal('ping') }),
  z.object({
    type: z.literal('content_block_start'),
    index,
    content_block: contentBlockSchema,
  }),
  z.object({
    type: z.literal('content_block_delta'),
    index,
    delta: z.discriminatedUnion('type', [
      z.object({ type: z.literal('text_delta'), text: z.string() }),
      z.object({ type: z.literal('thinking_delta'), thinking: z.string() }),
      z.object({ type: z.literal('signature_delta'), signature: z.string() }),
      z.object({ type: z.literal('input_json_delta'), partial_json: z.string() }),
    ]),
  }),
  z.object({ type: z.literal('content_block_stop'), index }),
  z.object({
    type: z.literal('message_delta'),
    delta: z.object({
      stop_reason: stopReasonSchema,
      stop_sequence: z.string().nullable(),
      stop_details: z.null(),
      container: z.null(),
    }),
    usage: z.object({
      ...inputUsage,
      output_tokens: z.number().int(),
      output_tokens_details: z.null(),
      server_tool_use: z.null(),
    }),
  }),
  z.object({ type: z.literal('message_stop') }),
]);
export type MessageEvent = z.infer<typeof messageEventSchema>;

export const anthropicErrorSchema = z.object({
  type: z.literal('error'),
  error: z.object({
    type: z.string(),
    message: z.string(),
    details: z
      .object({ error_code: z.literal('thread_unsupported_request') })
      .optional()
      .describe('Tells the official client to send whole conversations instead of a "thread".'),
  }),
  request_id: z.string(),
});
export type AnthropicError = z.infer<typeof anthropicErrorSchema>;

/** An entry of GET /v1/models for a client that sends `anthropic-version`. */
export const modelInfoSchema = z.object({
  type: z.literal('model'),
  id: z.string(),
  display_name: z.string(),
  created_at: z.string().describe("RFC 3339: the file's modification time."),
  max_input_tokens: z.number().int().nullable().describe('As loaded; null while it is not loaded.'),
  max_tokens: z.number().int().nullable().describe('The same.'),
  lifecycle: z.literal('active'),
  capabilities: z.null(),
  line: z.null(),
  deprecated_at: z.null(),
  retires_at: z.null(),
});
export type ModelInfo = z.infer<typeof modelInfoSchema>;

export const modelInfoPageSchema = z.object({
  data: z.array(modelInfoSchema),
  has_more: z.boolean(),
  first_id: z.string().nullable(),
  last_id: z.string().nullable(),
});
export type ModelInfoPage = z.infer<typeof modelInfoPageSchema>;
