/** POST /v1/completions, the older OpenAI route that goes on with plain text. Source: the API reference. */
import { z } from 'zod';
import { generationShape } from './generation-parameters.js';
import { finishReasonSchema, responseFormatSchema, timingsSchema, usageSchema } from './openai.js';
import { tokenId } from './tokens.js';

/** `prompt`: one text, or one list of token ids, or a list of either. */
export const completionRequestSchema = z.looseObject({
  ...generationShape,
  prompt: z
    .union([
      z.string(),
      z.array(z.string()).min(1),
      z.array(tokenId).min(1),
      z.array(z.array(tokenId).min(1)).min(1),
    ])
    .nullish(),
  logprobs: z.number().int().min(0).max(20).nullish(),
  echo: z.boolean().nullish(),
  /** Not in the reference; other servers have it. */
  response_format: responseFormatSchema.nullish(),
});
export type CompletionRequest = z.infer<typeof completionRequestSchema>;

const completionLogprobsSchema = z
  .object({
    tokens: z.array(z.string()),
    token_logprobs: z.array(z.number()),
    top_logprobs: z.array(z.record(z.string(), z.number())),
    text_offset: z
      .array(z.number().int())
      .describe("Where each token's text begins, in UTF-16 code units."),
  })
  .describe('Lists of one length: an entry for each token.');
export type CompletionLogprobs = z.infer<typeof completionLogprobsSchema>;

const choiceShape = {
  text: z.string(),
  index: z.number().int(),
  logprobs: completionLogprobsSchema.nullable(),
};

const headShape = {
  id: z.string(),
  object: z.literal('text_completion'),
  created: z.number().int().describe('Unix seconds.'),
  model: z.string(),
};

const choiceSchema = z.object({ ...choiceShape, finish_reason: finishReasonSchema });

const chunkChoiceSchema = z.object({
  ...choiceShape,
  finish_reason: finishReasonSchema.nullable(),
});

export const completionSchema = z.object({
  ...headShape,
  choices: z.array(choiceSchema),
  usage: usageSchema,
  timings: timingsSchema,
});
export type Completion = z.infer<typeof completionSchema>;

/** What a stream of a completion is made of. */
export const completionChunkSchema = z.object({
  ...headShape,
  choices: z.array(chunkChoiceSchema),
  usage: usageSchema.nullable().optional().describe('Only with stream_options.include_usage.'),
  timings: timingsSchema.optional(),
});
export type CompletionChunk = z.infer<typeof completionChunkSchema>;
