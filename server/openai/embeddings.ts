/** POST /v1/embeddings. */
import type { Request, Response } from 'express';
import { type EmbeddingList, embeddingRequestSchema } from '../../protocol/embeddings.js';
import type { EmbedInput } from '../../protocol/engine-calls.js';
import { exchangeOf } from '../exchange/exchanges.js';
import { invalidRequest } from '../http/errors.js';
import { openCall } from '../request/call.js';
import { Parameters } from '../request/parameters.js';
import { parseBody } from '../request/refusal.js';
import type { Services } from '../services.js';

const PARAMETERS = new Parameters(Object.keys(embeddingRequestSchema.shape));
const WORDS = {
  input: 'a text or a list of token ids, none empty, or a list of either',
  encoding_format: '"float" or "base64"',
  dimensions: 'a whole number of at least 1',
};

export function embeddings(services: Services) {
  return async (req: Request, res: Response): Promise<void> => {
    const body = parseBody(embeddingRequestSchema, req.body, WORDS);
    const { input, encoding_format: format, dimensions } = body;
    const model = services.current.resolveFor('embedding', body.model ?? null);
    const ask = openCall(services, model, PARAMETERS.ignored(body), res);
    const result = await ask('embed', { inputs: toInputs(input), truncate: false }, 'input');
    if (result === null) return;
    exchangeOf(res).countPrompt(result.totalTokens);
    const list: EmbeddingList = {
      object: 'list',
      model: model.id,
      data: result.vectors.map((vector, index) => {
        const cut = dimensions == null ? vector : shorten(vector, dimensions);
        return {
          object: 'embedding',
          index,
          embedding: format === 'base64' ? toBase64(cut) : [...cut],
        };
      }),
      usage: { prompt_tokens: result.totalTokens, total_tokens: result.totalTokens },
    };
    res.json(list);
  };
}

function toInputs(input: string | string[] | number[] | number[][]): EmbedInput[] {
  if (typeof input === 'string') return [input];
  return typeof input[0] === 'number' ? [input as number[]] : (input as EmbedInput[]);
}

/** Models that are trained for it (Matryoshka representations) keep most of their meaning in the first numbers. */
export function shorten(vector: Float32Array, dimensions: number): Float32Array {
  if (dimensions > vector.length) {
    throw invalidRequest(
      `dimensions is ${dimensions}; this model's vectors have ${vector.length}.`,
      'dimensions',
    );
  }
  const cut = vector.slice(0, dimensions);
  const length = Math.hypot(...cut);
  return length > 0 ? cut.map((value) => value / length) : cut;
}

function toBase64(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * Float32Array.BYTES_PER_ELEMENT);
  for (const [i, value] of vector.entries()) {
    bytes.writeFloatLE(value, i * Float32Array.BYTES_PER_ELEMENT);
  }
  return bytes.toString('base64');
}
