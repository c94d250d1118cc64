/** POST /api/embed, and the older /api/embeddings with one text. */
import type { Request, Response } from 'express';
import {
  type OllamaEmbedAnswer,
  type OllamaEmbeddingsAnswer,
  ollamaEmbeddingsRequestSchema,
  ollamaEmbedRequestSchema,
} from '../../protocol/ollama.js';
import { exchangeOf } from '../exchange/exchanges.js';
import type { LibraryModel } from '../library/model.js';
import { shorten } from '../openai/embeddings.js';
import { loadFor, openCall } from '../request/call.js';
import { parseBody } from '../request/refusal.js';
import { NO_WISHES, type Wishes, wishRest } from '../request/wishes.js';
import type { Services } from '../services.js';
import { toTtl } from './keep-alive.js';
import { nanoseconds } from './metrics.js';
import { findModel } from './names.js';
import { PARAMETERS, WORDS } from './parameters.js';

export function ollamaEmbed(services: Services) {
  return async (req: Request, res: Response): Promise<void> => {
    const started = performance.now();
    const body = parseBody(ollamaEmbedRequestSchema, req.body, WORDS);
    const { input, dimensions, truncate } = body;
    const inputs = [input].flat().filter((text) => text !== '');
    const wishes = { ...NO_WISHES, ttl: toTtl(body.keep_alive) };
    const model = resolveEmbedding(services, body.model);
    const ask = openCall(services, model, PARAMETERS.embed.ignored(body), res, wishes);
    const loaded = await load(services, res, model, wishes, inputs.length === 0);
    const result =
      inputs.length === 0
        ? { vectors: [], totalTokens: 0 }
        : await ask('embed', { inputs, truncate: truncate ?? true }, 'input');
    if (result === null) return;
    exchangeOf(res).countPrompt(result.totalTokens);
    const answer: OllamaEmbedAnswer = {
      model: body.model || model.id,
      embeddings: result.vectors.map((vector) => [
        ...(dimensions == null ? vector : shorten(vector, dimensions)),
      ]),
      total_duration: nanoseconds(performance.now() - started),
      load_duration: nanoseconds(loaded - started),
      prompt_eval_count: result.totalTokens,
    };
    res.json(answer);
  };
}

export function ollamaEmbeddings(services: Services) {
  return async (req: Request, res: Response): Promise<void> => {
    const body = parseBody(ollamaEmbeddingsRequestSchema, req.body, WORDS);
    const { prompt } = body;
    const wishes = { ...NO_WISHES, ttl: toTtl(body.keep_alive) };
    const model = resolveEmbedding(services, body.model);
    const ask = openCall(services, model, PARAMETERS.embeddings.ignored(body), res, wishes);
    await load(services, res, model, wishes, prompt === '');
    const result =
      prompt === ''
        ? { vectors: [], totalTokens: 0 }
        : await ask('embed', { inputs: [prompt], truncate: true }, 'prompt');
    if (result === null) return;
    exchangeOf(res).countPrompt(result.totalTokens);
    const answer: OllamaEmbeddingsAnswer = { embedding: [...(result.vectors[0] ?? [])] };
    res.json(answer);
  };
}

function resolveEmbedding(
  { library, current }: Services,
  name: string | null | undefined,
): LibraryModel {
  if (!name) return current.resolveFor('embedding', null);
  return current.resolveFor('embedding', findModel(library, name)?.id ?? name);
}

/**
 * @param isAll Nothing else is asked for: the model is loaded, or unloaded.
 * @returns when the model was there, as performance.now() tells it.
 */
async function load(
  services: Services,
  res: Response,
  model: LibraryModel,
  wishes: Wishes,
  isAll: boolean,
): Promise<number> {
  if (isAll && wishes.ttl === 0) {
    await services.pool.release(model);
  } else {
    await loadFor(services, res, model);
    if (isAll) wishRest(services.pool, model, null, wishes);
  }
  return performance.now();
}
