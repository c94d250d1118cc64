/** The routes of Ollama's API that would make models or publish them. */
import type { RequestHandler } from 'express';
import { ApiError, invalidRequest } from '../http/errors.js';

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
