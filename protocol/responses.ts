/** Requests of OpenAI's Responses API as this server reads them. Sources: the API reference and the types of openai-node. */
import { z } from 'zod';
import { generationShape } from './generation-parameters.js';
import { functionShape, templateVariablesSchema } from './openai.js';

/** Anything with a type of its own; what a type needs is checked where it is used, so that errors name the place. */
const typedSchema = z.looseObject({ type: z.string() });

export const itemStatusSchema = z.enum(['in_progress', 'completed', 'incomplete']);
const optionalStatus = itemStatusSchema.nullish();
const optionalId = z.string().min(1).max(128).nullish();

const inputContentSchema = z
  .union([z.string(), z.array(typedSchema)])
  .describe(
    'A text, or parts of the types input_text, output_text and refusal, and input_image of the user.',
  );

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

export const toolChoiceSchema = z.union([
  z.enum(['none', 'auto', 'required']),
  namedToolSchema,
  z.looseObject({
    type: z.literal('allowed_tools'),
    mode: z.enum(['auto', 'required']),
    tools: z.array(namedToolSchema).min(1),
  }),
]);
export type ResponseToolChoice = z.infer<typeof toolChoiceSchema>;

export const textFormatSchema = z.discriminatedUnion('type', [
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

export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

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
