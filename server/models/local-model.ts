/** The model of this machine that a path names. */
import type { Request } from 'express';
import { invalidRequest } from '../http/errors.js';
import type { LibraryModel } from '../library/model.js';
import { findEntry } from '../openai/models.js';
import type { Services } from '../services.js';

/** @throws ApiError 404; 400 for a model of another server; GenerationError where its file cannot be a model. */
export function localModel(services: Services, req: Request): LibraryModel {
  const { id, source } = findEntry(services, req);
  if (source === 'upstream') {
    throw invalidRequest(
      `"${id.slice(0, 100)}" is on another server, which loads and unloads it by itself.`,
      'model',
      'model_elsewhere',
    );
  }
  return services.current.resolve(id);
}
