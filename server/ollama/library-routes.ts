/** POST /api/pull, and the routes that would change the library, which here is a folder of the person's own. */
import type { Request, RequestHandler, Response } from 'express';
import { ollamaModelRequestSchema } from '../../protocol/ollama.js';
import { ApiError, invalidRequest } from '../http/errors.js';
import { NdjsonStream } from '../http/ndjson.js';
import { noteRequest } from '../request/parameters.js';
import { parseBody } from '../request/refusal.js';
import type { Services } from '../services.js';
import { findModel, resolveModel } from './names.js';
import { PARAMETERS, WORDS } from './parameters.js';

/** A model that is there needs no pulling; others this version does not download. */
export function pullModel(services: Services) {
  const { library, config } = services;
  return async (req: Request, res: Response): Promise<void> => {
    const request = parseBody(ollamaModelRequestSchema, req.body, WORDS);
    const name = request.model ?? request.name ?? '';
    if (name === '') {
      throw invalidRequest('"model" is missing: the name of a model is needed.', 'model');
    }
    if (findModel(library, name) === null) {
      throw new ApiError(
        404,
        `There is no model "${name.slice(0, 100)}", and this version of Pilotlight downloads none: put its GGUF file into the models folder (${config.modelsDir}).`,
        { param: 'model', code: 'model_not_found' },
      );
    }
    noteRequest(res, resolveModel(services, name), PARAMETERS.pull.ignored(request));
    if (request.stream === false) {
      res.json({ status: 'success' });
      return;
    }
    const out = await NdjsonStream.open(req, res);
    await out.end(['pulling manifest', 'success'].map((status) => JSON.stringify({ status })));
  };
}

/** 400 for what this version does not do. @param instead A sentence: what to do. */
export function unavailable(what: string, instead: string): RequestHandler {
  return () => {
    throw invalidRequest(
      `${what} is not available in this version of Pilotlight. ${instead}`,
      null,
      'unsupported_route',
    );
  };
}

/** HEAD /api/blobs/{digest}: whether a blob has been uploaded. None ever is. */
export const noBlob: RequestHandler = () => {
  throw new ApiError(404, 'There is no such blob.', { code: 'not_found' });
};
