/** 404 for what is no route. A client with the wrong base URL asks beside them: it is told which one is right. */
import type { Request } from 'express';
import { ApiError } from './http/errors.js';

/** Routes as they are asked for by a client of OpenAI's API whose base URL lacks /v1. */
const WITHOUT_V1 = /^\/(chat\/completions|completions|responses|embeddings|rerank|models)(\/|$)/;

export function notFound(req: Request): never {
  const path = req.path.length > 100 ? `${req.path.slice(0, 100)}…` : req.path;
  throw new ApiError(404, `There is nothing at ${req.method} ${path}. ${advice(path)}`, {
    code: 'not_found',
  });
}

function advice(path: string): string {
  if (/^\/v1\/(v1|api)(\/|$)/.test(path)) return 'Leave out /v1 in the base URL of this client.';
  if (/^\/api\/(v1|api)(\/|$)/.test(path)) return 'Leave out /api in the base URL of this client.';
  if (WITHOUT_V1.test(path)) return `The base URL ends in /v1: this is at /v1${path}.`;
  return 'The routes of the API begin with /v1/, such as /v1/chat/completions.';
}
