/** POST /v1/models/{id}/load and /unload. */
import type { Request, Response } from 'express';
import { type LoadEvent, loadModelSchema } from '../../protocol/model-control.js';
import { IDLE_TTL_MAX } from '../../protocol/settings.js';
import { GenerationError } from '../generation/generation.js';
import { clientGone, EventStream } from '../http/sse.js';
import type { LibraryModel } from '../library/model.js';
import { modelEntry } from '../model-entry.js';
import { encodeStreamError } from '../openai/chunks.js';
import { parseBody } from '../request/refusal.js';
import type { Services } from '../services.js';
import { localModel } from './local-model.js';
import { LOAD_SETTING_WORDS } from './words.js';

const WORDS = {
  ...LOAD_SETTING_WORDS,
  ttl: `a whole number of seconds from 0 to ${IDLE_TTL_MAX}, or null for no end`,
  pin: 'true or false',
  wait: 'true or false',
};

/** Answers with the model's entry when it is loaded; or tells how far it is, for who accepts events. */
export function loadModel(services: Services) {
  const { pool, rules } = services;
  return async (req: Request, res: Response): Promise<void> => {
    const { settings, ttl, pin, wait } = parseBody(loadModelSchema, req.body, WORDS);
    const model = localModel(services, req);
    const gone = clientGone(res);
    const loading = pool.load(model, wait === false ? null : gone, {
      ...(settings === undefined ? {} : { settings: rules.loadSettings(settings) }),
      ...(ttl === undefined ? {} : { ttl }),
      ...(pin === undefined ? {} : { isPinned: pin }),
    });
    if (wait === false) {
      // Its entry tells how it goes.
      loading.catch(() => {});
      await new Promise((resolve) => setImmediate(resolve));
    } else if (req.accepts(['application/json', 'text/event-stream']) === 'text/event-stream') {
      await streamLoad(req, res, services, model, loading);
      return;
    } else {
      await loading.catch((error: unknown) => {
        if (!gone.aborted) throw error;
      });
    }
    if (!gone.aborted) res.json(modelEntry(model, pool));
  };
}

async function streamLoad(
  req: Request,
  res: Response,
  { state, pool }: Services,
  model: LibraryModel,
  loading: Promise<void>,
): Promise<void> {
  // It is waited for below, once the headers are sent.
  loading.catch(() => {});
  const out = await EventStream.open(req, res);
  let told = '';
  const tell = () => {
    const { id, status, progress, reason } = modelEntry(model, pool);
    if (status !== 'loading' || out.behind) return;
    const text = encode({ type: 'load-progress', id, progress, reason });
    if (text !== told) void out.send([text]);
    told = text;
  };
  const unsubscribe = state.subscribe(tell);
  try {
    tell();
    await loading;
    await out.end([encode({ type: 'loaded', model: modelEntry(model, pool) })]);
  } catch (error) {
    if (!(error instanceof GenerationError)) throw error;
    await out.end([encodeStreamError(error)]);
  } finally {
    unsubscribe();
  }
}

function encode(event: LoadEvent): string {
  return JSON.stringify(event);
}

/** Answers with the model's entry when it has left memory: its answers come to their end first. */
export function unloadModel(services: Services) {
  const { pool } = services;
  return async (req: Request, res: Response): Promise<void> => {
    const model = localModel(services, req);
    await pool.release(model);
    res.json(modelEntry(model, pool));
  };
}
