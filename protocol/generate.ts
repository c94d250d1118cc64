/**
 * POST /v1/generate, Pilotlight's own: an event for each sampled token, and one for the end. Requests and events have the
 * fields that are named here and no others.
 */
import { z } from 'zod';
import { generationShape } from './generation-parameters.js';
import { tokenEndShape } from './inference.js';
import { chatMessageSchema } from './openai.js';
import { tokenId } from './tokens.js';

const { stream_options, max_completion_tokens, n, ...shape } = generationShape;

/** One of `prompt`, `token_ids` and `messages`. */
export const generateRequestSchema = z.strictObject({
  ...shape,
  ...tokenEndShape,
  prompt: z.string().nullish().describe('A text to go on with.'),
  token_ids: z
    .array(tokenId)
    .min(1)
    .nullish()
    .describe('The same as token ids, as the model gets them.'),
  messages: z.array(chatMessageSchema.strict()).min(1).nullish().describe('A chat to answer.'),
});
export type GenerateRequest = z.infer<typeof generateRequestSchema>;

const count = z.number().int().min(0);
const milliseconds = z.number().min(0);

const endShape = {
  finish_reason: z
    .enum(['stop', 'length'])
    .describe('stop: an end-of-generation token, a stop string or a stop token.'),
  prompt_tokens: count,
  cached_tokens: count.describe('Of the prompt, taken from the KV cache.'),
  output_tokens: count.describe('As many as there are tokens.'),
  queue_ms: milliseconds.describe('From the request in the engine to its first step.'),
  prefill_ms: milliseconds,
  ttft_ms: milliseconds.describe('Time to the first token; 0 where there is none.'),
  total_ms: milliseconds,
  tokens_per_s: z.number().min(0).describe('Behind the first token; 0 with fewer than two.'),
};
export type GenerateEnd = z.infer<z.ZodObject<typeof endShape>>;

export const tokenEventSchema = z.strictObject({
  type: z.literal('token'),
  index: count.describe('From 0, without gaps.'),
  token_id: tokenId,
  text: z.string().describe('May be empty: part of a character, a control token.'),
});

export const doneEventSchema = z.strictObject({ type: z.literal('done'), ...endShape });

export const errorEventSchema = z.strictObject({
  type: z.literal('error'),
  code: z.string(),
  message: z.string(),
});

/** Tokens, then `done` or `error`, once and last. */
export const generateEventSchema = z.discriminatedUnion('type', [
  tokenEventSchema,
  doneEventSchema,
  errorEventSchema,
]);
export type GenerateEvent = z.infer<typeof generateEventSchema>;

export const generateAnswerSchema = z.strictObject({
  token_ids: z.array(tokenId),
  text: z.string(),
  ...endShape,
});
export type GenerateAnswer = z.infer<typeof generateAnswerSchema>;
