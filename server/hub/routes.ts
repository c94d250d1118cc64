/** GET /pilotlight/hub/models, /pilotlight/hub/models/{repo} and /pilotlight/hub/token: for this machine only. */
import type { Express, NextFunction, Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import { HUB_SORTS, putHubTokenSchema, REPO_NAME } from '../../protocol/hub.js';
import { jsonBody } from '../http/body.js';
import { ApiError, invalidRequest } from '../http/errors.js';
import { localGuard } from '../http/local-guard.js';
import { only } from '../http/methods.js';
import { queryOf } from '../http/query.js';
import { clientGone } from '../http/sse.js';
import { parseBody } from '../request/refusal.js';
import type { Services } from '../services.js';
import { HubError, hubApiError } from './errors.js';
import { searchModels } from './search.js';

const PATH = '/pilotlight/hub';

/** Longest name that is looked for, characters. */
const MAX_TEXT = 500;
const MAX_CURSOR = 2_000;

const searchSchema = z.object({
  search: z.string().max(MAX_TEXT).default(''),
  sort: z.enum(HUB_SORTS).default('trending'),
  limit: z.coerce.number().int().min(1).max(100).default(30),
  cursor: z.string().min(1).max(MAX_CURSOR).optional(),
});
const SEARCH_WORDS = {
  search: `a text of at most ${MAX_TEXT} characters`,
  sort: `one of ${HUB_SORTS.join(', ')}`,
  limit: 'a whole number from 1 to 100',
  cursor: 'the next_cursor of a page before',
};

const detailsSchema = z.object({
  revision: z.string().min(1).max(200).default('main'),
  context: z.coerce.number().int().min(1).max(2_147_483_647).optional(),
  fit: z.string().min(1).max(MAX_TEXT).optional(),
});
const DETAILS_WORDS = {
  revision: 'a branch, a tag or a commit',
  context: 'a whole number of tokens from 1',
  fit: "a variant's name",
};

export function routeHub(app: Express, services: Services): void {
  app.use(PATH, localGuard);
  app
    .route(`${PATH}/token`)
    .get(inWords(showAccount(services)))
    .put(jsonBody(), inWords(putToken(services)))
    .delete(inWords(deleteToken(services)))
    .all(only('GET, HEAD, PUT, DELETE'));
  app
    .route(`${PATH}/models`)
    .get(inWords(search(services)))
    .all(only('GET, HEAD'));
  app
    .route(`${PATH}/models/*repo`)
    .get(inWords(details(services)))
    .all(only('GET, HEAD'));
}

type Handler = (req: Request, res: Response) => Promise<void>;

/** The hub's failures as answers of ours. */
function inWords(handler: Handler): RequestHandler {
  return async (req: Request, res: Response, next: NextFunction) => {
    try {
      await handler(req, res);
    } catch (error) {
      next(error instanceof HubError ? hubApiError(error) : error);
    }
  };
}

function search({ hub }: Services): Handler {
  return async (req, res) => {
    const { cursor = null, ...wanted } = parseQuery(searchSchema, req, SEARCH_WORDS);
    res.json(await searchModels(hub, { ...wanted, cursor, signal: clientGone(res) }));
  };
}

function details({ hubModels }: Services): Handler {
  return async (req, res) => {
    const { repo: segments } = req.params as { repo?: string | string[] };
    const repo = [segments ?? ''].flat().join('/');
    if (!REPO_NAME.test(repo)) {
      throw new ApiError(404, 'A model on the hub has a name such as "owner/name".', {
        code: 'hub_not_found',
      });
    }
    const { revision, context = null, fit = null } = parseQuery(detailsSchema, req, DETAILS_WORDS);
    const signal = clientGone(res);
    res.json(await hubModels.details({ repo, revision, contextLength: context, fit, signal }));
  };
}

function showAccount({ hubAccounts }: Services): Handler {
  return async (_req, res) => {
    res.json(await hubAccounts.now());
  };
}

function putToken({ hubAccounts }: Services): Handler {
  return async (req, res) => {
    const words = { token: 'a text, your token on the hub' };
    const { token } = parseBody(putHubTokenSchema, req.body, words);
    res.json(await hubAccounts.set(token));
  };
}

function deleteToken({ hubAccounts }: Services): Handler {
  return async (_req, res) => {
    res.json(await hubAccounts.remove());
  };
}

/** @throws ApiError 400 that names the first field that is wrong. */
function parseQuery<Schema extends z.ZodType>(
  schema: Schema,
  req: Request,
  words: Readonly<Record<string, string>>,
): z.infer<Schema> {
  const parsed = schema.safeParse(Object.fromEntries(queryOf(req)));
  if (parsed.success) return parsed.data;
  const name = String(parsed.error.issues[0]?.path[0] ?? '');
  throw invalidRequest(`The parameter ${name} must be ${words[name] ?? 'something else'}.`, name);
}
