/** GET /v1/models and GET /v1/models/{id}. */
import type { Request, Response } from 'express';
import type { ModelList } from '../../protocol/models.js';
import { modelNotFound } from '../http/errors.js';
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

export function retrieveModel({ library, pool }: Services) {
  return (req: Request, res: Response): void => {
    // An id may hold a slash, which arrives as several segments where the client does not encode it.
    const { id: segments } = req.params as { id?: string | string[] };
    const id = [segments ?? ''].flat().join('/');
    const model = library.find(id);
    if (model === null)
      throw modelNotFound(
        id,
        library.models().map((known) => known.id),
      );
    res.json(modelEntry(model, pool));
  };
}
