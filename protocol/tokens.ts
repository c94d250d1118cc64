/**
 * POST /tokenize, /detokenize and /apply-template, in the shape that llama-server and vLLM share: `content` is the
 * former's name for a text, `prompt` the latter's.
 */
import { z } from 'zod';

/** The engine's are of 32 bits: a larger one would come out as another. */
export const tokenId = z.int32().min(0);

export const tokenizeRequestSchema = z.looseObject({
  model: z.string().nullish(),
  content: z.string().nullish(),
  prompt: z.string().nullish(),
  add_special: z
    .boolean()
    .nullish()
    .describe('Put the tokens around the text that the model wants. Default false.'),
  parse_special: z
    .boolean()
    .nullish()
    .describe('Take control tokens that are written out as such. Default true.'),
  with_pieces: z
    .boolean()
    .nullish()
    .describe(
      'Answer with {id, piece} for each token; a piece that is no text is a list of bytes.',
    ),
});

export const tokenizeAnswerSchema = z.object({
  tokens: z.union([
    z.array(z.number().int()),
    z.array(
      z.object({
        id: z.number().int(),
        piece: z.union([z.string(), z.array(z.number().int())]),
      }),
    ),
  ]),
  count: z.number().int(),
});
export type TokenizeAnswer = z.infer<typeof tokenizeAnswerSchema>;

export const detokenizeRequestSchema = z.looseObject({
  model: z.string().nullish(),
  tokens: z.array(tokenId),
});

export const detokenizeAnswerSchema = z.object({
  content: z.string(),
  prompt: z.string().describe('The same as content.'),
});
export type DetokenizeAnswer = z.infer<typeof detokenizeAnswerSchema>;

export const applyTemplateAnswerSchema = z.object({
  prompt: z.string().describe('What the model would read.'),
  count: z.number().int().describe('Tokens of it.'),
});
export type ApplyTemplateAnswer = z.infer<typeof applyTemplateAnswerSchema>;
