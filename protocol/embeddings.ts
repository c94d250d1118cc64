/** POST /v1/embeddings (OpenAI's API reference) and POST /v1/rerank (the shape that Jina's and Cohere's APIs share). */
import { z } from 'zod';
import { ttlSchema } from './generation-parameters.js';
import { tokenId } from './tokens.js';

const tokenIds = z.array(tokenId).min(1);

export const embeddingRequestSchema = z.looseObject({
  model: z.string().nullish(),
  input: z
    .union([
      z.string().min(1),
      z.array(z.string().min(1)).min(1),
      tokenIds,
      z.array(tokenIds).min(1),
    ])
    .describe('One text, or one list of token ids, or a list of either.'),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: z
    .number()
    .int()
    .min(1)
    .nullish()
    .describe('Keep the first so many numbers, brought to length 1 again.'),
  ttl: ttlSchema,
});

const inputUsageSchema = z.object({
  prompt_tokens: z.number().int(),
  total_tokens: z.number().int(),
});

export const embeddingListSchema = z.object({
  object: z.literal('list'),
  model: z.string(),
  data: z.array(
    z.object({
      object: z.literal('embedding'),
      index: z.number().int(),
      embedding: z
        .union([z.array(z.number()), z.string()])
        .describe('Numbers, or little-endian float32 as base64.'),
    }),
  ),
  usage: inputUsageSchema,
});
export type EmbeddingList = z.infer<typeof embeddingListSchema>;

export const rerankRequestSchema = z.looseObject({
  model: z.string().nullish(),
  query: z.string().min(1),
  documents: z
    .array(z.union([z.string().min(1), z.looseObject({ text: z.string().min(1) })]))
    .min(1)
    .max(10_000),
  top_n: z.number().int().min(1).nullish(),
  return_documents: z.boolean().nullish(),
  ttl: ttlSchema,
});

export const rerankListSchema = z.object({
  id: z.string(),
  object: z.literal('list'),
  model: z.string(),
  results: z
    .array(
      z.object({
        index: z.number().int(),
        relevance_score: z.number(),
        document: z.object({ text: z.string() }).optional(),
      }),
    )
    .describe('Closest first.'),
  usage: inputUsageSchema,
  meta: z.object({ api_version: z.object({ version: z.literal('2') }) }),
});
export type RerankList = z.infer<typeof rerankListSchema>;
