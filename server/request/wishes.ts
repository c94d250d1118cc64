/** What a request asks for that only some models can do. Which ones, the engine says once it has loaded the model. */
import type { Response } from 'express';
import { z } from 'zod';
import type { ModelInfo } from '../../protocol/engine-load.js';
import { ttlSchema } from '../../protocol/generation-parameters.js';
import type { EnginePool } from '../engine/pool.js';
import { exchangeOf } from '../exchange/exchanges.js';
import type { LibraryModel } from '../library/model.js';
import { ignoredHeader } from './parameters.js';

export interface Wishes {
  /** Names of the fields that ask the model to think before it answers. */
  thinking: readonly string[];
  /** The field that asks for a context, and its tokens; null: none does. */
  context: { field: string; tokens: number } | null;
  /** Seconds without a request until the model leaves memory; null: never; undefined: as the body's `ttl` says. */
  ttl?: number | null | undefined;
}

export const NO_WISHES: Wishes = { thinking: [], context: null };

const bodySchema = z.object({ ttl: ttlSchema });

/** Has the model stay as long as the request asks for; to be called once it is waited for. */
export function wishRest(
  pool: EnginePool,
  model: LibraryModel,
  body: unknown,
  { ttl }: Wishes,
): void {
  const asked = ttl === undefined ? (bodySchema.safeParse(body).data?.ttl ?? undefined) : ttl;
  if (asked !== undefined) pool.wish(model, { ttl: asked });
}

/** Of the fields that ask for thinking. `asked`: each with whether it does in this request. */
export function thinkingWishes(asked: Readonly<Record<string, boolean>>): Wishes {
  const thinking = Object.keys(asked).filter((field) => asked[field]);
  return { ...NO_WISHES, thinking };
}

/**
 * Adds what this model cannot do to `x-pilotlight-ignored`. A stream that has waited for its model to load has sent its
 * headers by then, and is not told.
 * @param info Null: it is loaded no more.
 */
export function noteUnmet(res: Response, wishes: Wishes, info: ModelInfo | null): void {
  const unmet = info === null ? [] : unmetWishes(wishes, info);
  if (unmet.length === 0) return;
  const exchange = exchangeOf(res);
  exchange.ignored = [...exchange.ignored, ...unmet];
  const header = ignoredHeader(exchange.ignored);
  if (header !== null && !res.headersSent) res.set('x-pilotlight-ignored', header);
}

/**
 * Names of fields. A context longer than the model was loaded with changes no answer: a prompt that does not fit is
 * refused, with both lengths, and never cut.
 */
function unmetWishes({ thinking, context }: Wishes, info: ModelInfo): string[] {
  return [
    ...(info.supportsThinking ? [] : thinking),
    ...(context !== null && context.tokens > info.contextLength ? [context.field] : []),
  ];
}
