/** GET /v1/models and GET /v1/models/{id}. */
import type { Request, Response } from 'express';
import type { ModelList } from '../../protocol/models.js';
import { modelNotFound } from '../http/errors.js';
import type { LibraryModel } from '../library/model.js';
import { modelEntry } from '../model-entry.js';
import type { Services } from '../services.js';

export function listModels({ library, pool }: Services) {
  return (_req: Request, res: Response): void => {
    const list: ModelList = {
      object: 'list',
      data: library.models().map((model) => modelEntry(model, pool)),
    };
    res.json(list);
  };
}

export function retrieveModel(services: Services) {
  return (req: Request, res: Response): void => {
    res.json(modelEntry(findModel(services, req), services.pool));
  };
}

/** The model that the path names. Throws ApiError 404. */
export function findModel({ library }: Services, req: Request): LibraryModel {
  // An id may hold a slash, which arrives as several segments where the client does not encode it.
  const { id: segments } = req.params as { id?: string | string[] };
  const id = [segments ?? ''].flat().join('/');
  const model = library.find(id);
  if (model !== null) return model;
  throw modelNotFound(
    id,
    library.models().map((known) => known.id),
  );
}
