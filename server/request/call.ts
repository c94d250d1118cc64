/** What the routes with one answer have in common. */
import type { Response } from 'express';
import type {
  ApplyTemplateRequest,
  EngineCallName,
  EngineCalls,
} from '../../protocol/engine-calls.js';
import { exchangeOf } from '../exchange/exchanges.js';
import { GenerationError } from '../generation/generation.js';
import { fromGenerationError } from '../http/errors.js';
import { requestCancelled } from '../http/generation-response.js';
import type { LibraryModel } from '../library/model.js';
import type { Services } from '../services.js';
import { refuseUnseen, withPlace } from './images.js';
import { noteRequest } from './parameters.js';
import { NO_WISHES, noteUnmet, type Wishes, wishRest } from './wishes.js';

/**
 * Resolves with null where the client has gone; rejects with ApiError.
 * @param param The request parameter that holds what the model reads.
 */
type Ask = <Name extends EngineCallName>(
  name: Name,
  request: EngineCalls[Name]['request'],
  param: string,
) => Promise<EngineCalls[Name]['result'] | null>;

/** @param ignored Names of the request's fields that nobody knows. */
export function openCall(
  { pool }: Services,
  model: LibraryModel,
  ignored: readonly string[],
  res: Response,
  wishes: Wishes = NO_WISHES,
): Ask {
  noteRequest(res, model, ignored);
  const exchange = exchangeOf(res);
  return async (name, request, param) => {
    const prompt = name === 'apply-template' ? (request as ApplyTemplateRequest) : null;
    if (prompt !== null) refuseUnseen(model, prompt);
    try {
      const answer = pool.call(model, name, request, exchange.over);
      wishRest(pool, model, exchange.body(), wishes);
      const result = await answer;
      noteUnmet(res, wishes, pool.info(model));
      return result;
    } catch (error) {
      if (exchange.gone.aborted) return null;
      const placed = prompt === null ? error : withPlace(error, prompt);
      const told = exchange.isCancelled ? requestCancelled() : placed;
      throw told instanceof GenerationError ? fromGenerationError(told, param) : told;
    }
  };
}

/** Loads the model before anything is asked of it. Rejects with GenerationError, also where the request is over. */
export async function loadFor(
  { pool }: Services,
  res: Response,
  model: LibraryModel,
): Promise<void> {
  const exchange = exchangeOf(res);
  try {
    await pool.load(model, exchange.over);
  } catch (error) {
    throw exchange.isCancelled ? requestCancelled() : error;
  }
}
