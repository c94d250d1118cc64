/** POST /v1/completions, the older OpenAI route that goes on with plain text. Source: the API reference. */
import { z } from 'zod';
import { generationShape } from './generation-parameters.js';
import {
  responseFormatSchema,
  type Usage,
  type WireFinishReason,
  type WireTimings,
} from './openai.js';

const tokenId = z.number().int().min(0);

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

/** Lists of one length: an entry for each token. `text_offset`: where its text begins, in UTF-16 code units. */
export interface CompletionLogprobs {
  tokens: string[];
  token_logprobs: number[];
  top_logprobs: Record<string, number>[];
  text_offset: number[];
}

export interface CompletionChoice<Reason = WireFinishReason> {
  text: string;
  index: number;
  logprobs: CompletionLogprobs | null;
  finish_reason: Reason;
}

interface CompletionHead {
  id: string;
  object: 'text_completion';
  created: number;
  model: string;
}

export interface Completion extends CompletionHead {
  choices: CompletionChoice[];
  usage: Usage;
  /** Of the first choice. */
  timings: WireTimings;
}

export interface CompletionChunk extends CompletionHead {
  choices: CompletionChoice<WireFinishReason | null>[];
  usage?: Usage | null;
  timings?: WireTimings;
}
