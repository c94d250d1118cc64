/** What a stream of the Responses API is made of. Source: the types of openai-node. */
import { z } from 'zod';
import { tokenLogprobSchema } from './openai.js';
import {
  outputItemSchema,
  outputTextSchema,
  reasoningTextSchema,
  responseSchema,
} from './response-object.js';

const itemPlace = { output_index: z.number().int(), item_id: z.string() };
const partPlace = { ...itemPlace, content_index: z.number().int() };

const OF_RESPONSE = [
  'response.created',
  'response.in_progress',
  'response.completed',
  'response.incomplete',
  'response.failed',
] as const;

const eventSchemas = [
  z.object({ type: z.enum(OF_RESPONSE), response: responseSchema }),
  z.object({
    type: z.enum(['response.output_item.added', 'response.output_item.done']),
    output_index: z.number().int(),
    item: outputItemSchema,
  }),
  z.object({
    type: z.enum(['response.content_part.added', 'response.content_part.done']),
    ...partPlace,
    part: z.discriminatedUnion('type', [outputTextSchema, reasoningTextSchema]),
  }),
  z.object({
    type: z.literal('response.output_text.delta'),
    ...partPlace,
    delta: z.string(),
    logprobs: z.array(tokenLogprobSchema),
  }),
  z.object({
    type: z.literal('response.output_text.done'),
    ...partPlace,
    text: z.string(),
    logprobs: z.array(tokenLogprobSchema),
  }),
  z.object({ type: z.literal('response.reasoning_text.delta'), ...partPlace, delta: z.string() }),
  z.object({ type: z.literal('response.reasoning_text.done'), ...partPlace, text: z.string() }),
  z.object({
    type: z.literal('response.function_call_arguments.delta'),
    ...itemPlace,
    delta: z.string(),
  }),
  z.object({
    type: z.literal('response.function_call_arguments.done'),
    ...itemPlace,
    name: z.string(),
    arguments: z.string(),
  }),
] as const;

const unnumberedSchema = z.discriminatedUnion('type', eventSchemas);
/** An event before the stream gives it its sequence_number. */
export type ResponseEvent = z.infer<typeof unnumberedSchema>;

const number = { sequence_number: z.number().int().describe('From 0, without gaps.') };
export const responseEventSchema = z.union(eventSchemas.map((schema) => schema.extend(number)));
