/** GET /v1/models and GET /v1/models/{id}. */
import type { Request, Response } from 'express';
import type { ModelEntry, ModelList } from '../../protocol/models.js';
import { modelNotFound } from '../http/errors.js';
import { modelEntries, modelEntry } from '../model-entry.js';
import type { Services } from '../services.js';

export function listModels(services: Services) {
  return (_req: Request, res: Response): void => {
    const list: ModelList = { object: 'list', data: modelEntries(services) };
    res.json(list);
  };
}

export function retrieveModel(services: Services) {
  return (req: Request, res: Response): void => {
    res.json(findEntry(services, req));
  };
}

/** The model that the path names. Throws ApiError 404. */
export function findEntry(services: Services, req: Request): ModelEntry {
  const { library, pool, upstreams } = services;
  // An id may hold a slash, which arrives as several segments where the client does not encode it.
  const { id: segments } = req.params as { id?: string | string[] };
  const id = [segments ?? ''].flat().join('/');
  const entry = upstreams.entry(id);
  if (entry !== null) return entry;
  const model = library.find(id);
  if (model !== null) return modelEntry(model, pool);
  throw modelNotFound(
    id,
    modelEntries(services).map((known) => known.id),
  );
}
