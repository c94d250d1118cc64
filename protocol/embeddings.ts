/** POST /v1/embeddings (OpenAI's API reference) and POST /v1/rerank (the shape that Jina's and Cohere's APIs share). */
import { z } from 'zod';

const tokenIds = z.array(z.number().int().min(0)).min(1);

export const embeddingRequestSchema = z.looseObject({
  model: z.string().nullish(),
  /** One text, or one list of token ids, or a list of either. */
  input: z.union([
    z.string().min(1),
    z.array(z.string().min(1)).min(1),
    tokenIds,
    z.array(tokenIds).min(1),
  ]),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  /** Keep the first so many numbers, brought to length 1 again. */
  dimensions: z.number().int().min(1).nullish(),
});

export interface EmbeddingList {
  object: 'list';
  model: string;
  data: {
    object: 'embedding';
    index: number;
    /** Numbers, or little-endian float32 as base64. */
    embedding: number[] | string;
  }[];
  usage: { prompt_tokens: number; total_tokens: number };
}

export const rerankRequestSchema = z.looseObject({
  model: z.string().nullish(),
  query: z.string().min(1),
  documents: z
    .array(z.union([z.string().min(1), z.looseObject({ text: z.string().min(1) })]))
    .min(1)
    .max(10_000),
  top_n: z.number().int().min(1).nullish(),
  return_documents: z.boolean().nullish(),
});

export interface RerankList {
  id: string;
  object: 'list';
  model: string;
  /** Closest first. */
  results: { index: number; relevance_score: number; document?: { text: string } }[];
  usage: { prompt_tokens: number; total_tokens: number };
  meta: { api_version: { version: '2' } };
}
