/** The developer page's routes: where the server is, its API keys, its log. For the person whose machine this is. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Express, Request, Response } from 'express';
import type { z } from 'zod';
import {
  type apiKeyListSchema,
  type logEventSchema,
  type MadeApiKey,
  newApiKeySchema,
  type ServingInfo,
} from '../../protocol/serving.js';
import { jsonBody, optionalJsonBody } from '../http/body.js';
import { ApiError } from '../http/errors.js';
import { isLoopback } from '../http/guard.js';
import { localGuard } from '../http/local-guard.js';
import { only } from '../http/methods.js';
import { clientGone, EventStream } from '../http/sse.js';
import { parseBody } from '../request/refusal.js';
import type { Services } from '../services.js';
import { addKey, KeyFileError, readKeys, removeKey } from '../store/key-file.js';
import { postSelfTest } from './self-test.js';

export function routeServing(app: Express, services: Services): void {
  const onlyGet = only('GET');
  app.route('/pilotlight/server').all(localGuard).get(getServer(services)).all(only('GET, HEAD'));
  app
    .route('/pilotlight/keys')
    .all(localGuard)
    .get(listKeys(services))
    .post(jsonBody(), makeKey(services))
    .all(only('GET, HEAD, POST'));
  app
    .route('/pilotlight/keys/:name')
    .all(localGuard)
    .delete(deleteKey(services))
    .all(only('DELETE'));
  app
    .route('/pilotlight/log/events')
    .all(localGuard)
    .head(onlyGet)
    .get(logEvents(services))
    .all(onlyGet);
  app
    .route('/pilotlight/self-test')
    .post(localGuard, optionalJsonBody(), postSelfTest(services))
    .all(only('POST'));
}

function getServer({ config, serving, keys, access, logTail }: Services) {
  return (_req: Request, res: Response): void => {
    const { host, port, allowedHosts, allowedOrigins, apiKeys } = config;
    const listensAt = serving.host ?? access.place().host;
    const answer: ServingInfo = {
      host: listensAt,
      port: serving.port,
      urls: serving.urls,
      network: !isLoopback(listensAt),
      keys_needed: keys.needed,
      given: [
        ...(host === null ? [] : (['host'] as const)),
        ...(port === null ? [] : (['port'] as const)),
        ...(allowedHosts.length === 0 ? [] : (['allowed_hosts'] as const)),
        ...(allowedOrigins.length === 0 ? [] : (['allowed_origins'] as const)),
        ...(apiKeys.length === 0 ? [] : (['keys'] as const)),
      ],
      start_hosts: allowedHosts,
      start_origins: allowedOrigins,
      start_keys: apiKeys.length,
      log_file: logTail.file,
    };
    res.json(answer);
  };
}

function listKeys({ config }: Services) {
  return async (_req: Request, res: Response): Promise<void> => {
    const keys = await orRefuse(async () => readKeys(config.dataDir));
    const answer: z.infer<typeof apiKeyListSchema> = {
      keys: keys.map(({ name, created }) => ({ name, created })),
    };
    res.set('cache-control', 'no-store').json(answer);
  };
}

const WORDS = { name: 'a name of 1 to 64 characters' };

function makeKey({ config, state }: Services) {
  return async (req: Request, res: Response): Promise<void> => {
    const { name } = parseBody(newApiKeySchema, req.body, WORDS);
    const answer = await orRefuse(async (): Promise<MadeApiKey> => {
      const key = await addKey(config.dataDir, name);
      const created = readKeys(config.dataDir).find((made) => made.name === name)?.created;
      return { name, created: created ?? new Date().toISOString(), key };
    });
    state.touch();
    res.set('cache-control', 'no-store').json(answer);
  };
}

function deleteKey({ config, access, state }: Services) {
  return async ({ params: { name } }: Request<{ name: string }>, res: Response): Promise<void> => {
    await orRefuse(async () => {
      const others = readKeys(config.dataDir).filter((key) => key.name !== name);
      const openTo = access.openTo();
      if (openTo !== null && others.length + config.apiKeys.length === 0) {
        throw new ApiError(
          409,
          `${openTo}, so the last key stays: make another one first, or close it to others.`,
          { code: 'last_key' },
        );
      }
      await removeKey(config.dataDir, name);
    });
    state.touch();
    res.status(200).json({});
  };
}

/** @throws ApiError with the sentence of the file that holds them. */
async function orRefuse<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof KeyFileError)) throw error;
    throw new ApiError(409, error.message, { param: 'name', code: 'key_not_changed' });
  }
}

/** Lines within this time are sent together, in milliseconds: a person cannot read faster. */
const GATHER_MS = 200;

function logEvents({ logTail, state }: Services) {
  return async (req: Request, res: Response): Promise<void> => {
    const over = AbortSignal.any([clientGone(res), state.ended]);
    let wake = () => {};
    const unsubscribe = logTail.subscribe(() => wake());
    over.addEventListener('abort', () => wake());
    const out = await EventStream.open(req, res);
    let told = 0;
    // A slow reader misses what is no longer held, and its count tells so.
    for (let first = true; !over.aborted; first = false) {
      const lines = logTail.after(told);
      told = lines.at(-1)?.n ?? told;
      const event: z.infer<typeof logEventSchema> = { lines };
      if (first || lines.length > 0) await out.send([JSON.stringify(event)]);
      await wait(GATHER_MS, undefined, { signal: over }).catch(() => {});
      if (over.aborted || logTail.after(told).length > 0) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    unsubscribe();
    await out.end();
  };
}
