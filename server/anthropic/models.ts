/** GET /v1/models and GET /v1/models/{id} for clients of this dialect; others are passed on. */
import type { NextFunction, Request, Response } from 'express';
import type { ModelInfo, ModelInfoPage } from '../../protocol/anthropic.js';
import type { ModelEntry } from '../../protocol/models.js';
import { invalidRequest } from '../http/errors.js';
import { modelEntries } from '../model-entry.js';
import { findEntry } from '../openai/models.js';
import type { Services } from '../services.js';
import { speaksAnthropic } from './dialect.js';

type Handler = (req: Request, res: Response, next: NextFunction) => void;

/** Those that can answer a message, the newest file first. */
export function listModelInfos(services: Services): Handler {
  return (req, res, next) => {
    if (!speaksAnthropic(req)) {
      next();
      return;
    }
    const infos = modelEntries(services)
      .filter(({ kind, status }) => kind === 'generative' && status !== 'invalid')
      .sort((a, b) => b.created - a.created)
      .map(modelInfo);
    res.json(pageOf(infos, new URL(req.url, 'http://server').searchParams));
  };
}

export function retrieveModelInfo(services: Services): Handler {
  return (req, res, next) => {
    if (speaksAnthropic(req)) res.json(modelInfo(findEntry(services, req)));
    else next();
  };
}

function modelInfo({ id, name, created, context_length: contextLength }: ModelEntry): ModelInfo {
  return {
    type: 'model',
    id,
    display_name: name,
    created_at: new Date(created * 1000).toISOString(),
    max_input_tokens: contextLength,
    max_tokens: contextLength,
    lifecycle: 'active',
    capabilities: null,
    line: null,
    deprecated_at: null,
    retires_at: null,
  };
}

/** @throws ApiError 400 that names the query parameter. */
function pageOf(infos: readonly ModelInfo[], query: URLSearchParams): ModelInfoPage {
  const limit = Number(query.get('limit') ?? 20);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) {
    throw invalidRequest('limit must be a whole number from 1 to 1000.', 'limit');
  }
  const after = placeOf('after_id', infos, query);
  const before = placeOf('before_id', infos, query);
  const all = infos.slice((after ?? -1) + 1, before ?? infos.length);
  const data = before !== null && after === null ? all.slice(-limit) : all.slice(0, limit);
  return {
    data,
    has_more: data.length < all.length,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}

/** Null: not asked for. */
function placeOf(
  name: 'after_id' | 'before_id',
  infos: readonly ModelInfo[],
  query: URLSearchParams,
): number | null {
  const wanted = query.get(name);
  if (wanted === null) return null;
  const index = infos.findIndex(({ id }) => id === wanted);
  if (index >= 0) return index;
  throw invalidRequest(`${name} must be the id of a model of the list.`, name);
}
