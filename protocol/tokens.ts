/**
 * POST /tokenize, /detokenize and /apply-template, in the shape that llama-server and vLLM share: `content` is the
 * former's name for a text, `prompt` the latter's.
 */
import { z } from 'zod';

export const tokenizeRequestSchema = z.looseObject({
  model: z.string().nullish(),
  content: z.string().nullish(),
  prompt: z.string().nullish(),
  /** Put the tokens around the text that the model wants. False where nothing is said, as with llama-server. */
  add_special: z.boolean().nullish(),
  /** Take control tokens that are written out as such. True where nothing is said. */
  parse_special: z.boolean().nullish(),
  /** Answer with `{id, piece}` for each token; a piece that is no text is a list of bytes. */
  with_pieces: z.boolean().nullish(),
});

export interface TokenizeAnswer {
  tokens: number[] | { id: number; piece: string | number[] }[];
  count: number;
}

export const detokenizeRequestSchema = z.looseObject({
  model: z.string().nullish(),
  tokens: z.array(z.number().int().min(0)),
});

export interface DetokenizeAnswer {
  content: string;
  /** The same. */
  prompt: string;
}

export interface ApplyTemplateAnswer {
  prompt: string;
  /** Tokens of it. */
  count: number;
}
