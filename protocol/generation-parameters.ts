/** Request parameters that every text-making route of the OpenAI dialect has. Explicit null means the default. */
import { z } from 'zod';
import { SPECULATION } from './engine-load.js';
import { IDLE_TTL_MAX } from './settings.js';

const range = (min: number, max: number) => z.number().min(min).max(max).nullish();
/** In the document of the API; a number that a 64-bit seed was rounded to is a whole one as well. */
const WHOLE = { type: 'integer' } as const;
const tokenCount = z.number().min(1).refine(Number.isInteger).meta(WHOLE).nullish();

/** Of every request to a model. */
export const ttlSchema = z
  .number()
  .int()
  .min(0)
  .max(IDLE_TTL_MAX)
  .nullish()
  .describe(
    'Not in the reference. Seconds without a request after which the model leaves memory, until it has left; 0: at once.',
  );

/**
 * Ranges are those of the API reference; `top_k`, `min_p`, `repeat_penalty` and `repeat_last_n` are the common local
 * extensions; `priority` and `speculation` are ours: who is served first in a queue, and where guesses ahead come from.
 */
export const generationShape = {
  model: z.string().nullish().describe('Id of a model; null: the current one.'),
  stream: z.boolean().nullish(),
  stream_options: z
    .looseObject({ include_usage: z.boolean().nullish() })
    .nullish()
    .describe('Only for streams.'),
  max_tokens: tokenCount,
  max_completion_tokens: tokenCount.describe('The newer name of max_tokens.'),
  temperature: range(0, 2),
  top_p: range(0, 1),
  top_k: z.number().int().min(0).nullish().describe('Not in the reference. 0: all tokens.'),
  min_p: range(0, 1).describe('Not in the reference.'),
  presence_penalty: range(-2, 2),
  frequency_penalty: range(-2, 2),
  repeat_penalty: z.number().positive().max(10).nullish().describe('Not in the reference.'),
  repeat_last_n: z
    .number()
    .int()
    .min(-1)
    .nullish()
    .describe(
      'Not in the reference. The latest tokens of the answer that penalties look at; -1 and null: all.',
    ),
  // Clients send 64-bit seeds, which arrive rounded; any whole number is one.
  seed: z.number().refine(Number.isInteger).meta(WHOLE).nullish(),
  stop: z.union([z.string().min(1), z.array(z.string().min(1)).max(4)]).nullish(),
  logit_bias: z.record(z.string(), z.number().min(-100).max(100)).nullish(),
  n: z.number().int().min(1).max(128).nullish(),
  priority: z
    .enum(['interactive', 'normal', 'background'])
    .nullish()
    .describe('Who is served first where requests wait; default "normal".'),
  speculation: z
    .enum(SPECULATION)
    .nullish()
    .describe('Where guesses of the next tokens come from; they change the speed only.'),
  ttl: ttlSchema,
};

const generationParametersSchema = z.looseObject(generationShape);
export type GenerationParameters = z.infer<typeof generationParametersSchema>;
