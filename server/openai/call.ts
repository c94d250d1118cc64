/** What the routes with one answer have in common: the model they mean, and what nobody knows of their fields. */
import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { EngineCallName, EngineCalls } from '../../protocol/engine-calls.js';
import { GenerationError } from '../generation/generation.js';
import { fromGenerationError } from '../http/errors.js';
import { factsOf } from '../http/request-log.js';
import { clientGone } from '../http/sse.js';
import type { Services } from '../services.js';
import { ignoredHeader } from './parameters.js';
import { parseBody } from './refusal.js';

export interface Call<Body> {
  body: Body;
  /** Id of the model that answers. */
  model: string;
  /**
   * Null: the client has gone. Rejects with ApiError.
   * @param param The request parameter that holds what the model reads.
   */
  ask<Name extends EngineCallName>(
    name: Name,
    request: EngineCalls[Name]['request'],
    param: string,
  ): Promise<EngineCalls[Name]['result'] | null>;
}

/** Accepted everywhere, since it cannot change the answer. */
const WITHOUT_EFFECT = ['user'];

/**
 * @param kind Of the model that answers where none is named; null: the current one.
 * @param words What each parameter takes, for refusals.
 * @param more Names of parameters that somebody else reads.
 * @throws ApiError 400 that names the parameter; 404 for the model.
 */
export function readCall<Shape extends z.ZodObject>(
  { current, pool }: Services,
  schema: Shape,
  kind: 'embedding' | 'rerank' | null,
  words: Readonly<Record<string, string>>,
  req: Request,
  res: Response,
  more: readonly string[] = WITHOUT_EFFECT,
): Call<z.infer<Shape>> {
  const body = parseBody(schema, req.body, words);
  const fields = Object.keys(body as object);
  const ignored = fields.filter((name) => !(name in schema.shape) && !more.includes(name));
  const header = ignoredHeader(ignored);
  if (header !== null) res.set('x-pilotlight-ignored', header);
  const id = (body as { model?: string | null }).model ?? null;
  const model = kind === null ? current.resolve(id) : current.resolveFor(kind, id);
  factsOf(res).model = model.id;
  const gone = clientGone(res);
  return {
    body,
    model: model.id,
    async ask(name, request, param) {
      try {
        return await pool.call(model, name, request, gone);
      } catch (error) {
        if (gone.aborted) return null;
        throw error instanceof GenerationError ? fromGenerationError(error, param) : error;
      }
    },
  };
}
