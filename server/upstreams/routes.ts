/** What the person sets about upstreams: seen and changed on this machine only. */
import type { Express, Request, Response } from 'express';
import {
  putUpstreamSchema,
  type Upstream,
  type UpstreamList,
  type UpstreamOrder,
  upstreamOrderSchema,
} from '../../protocol/upstreams.js';
import { jsonBody } from '../http/body.js';
import { localGuard } from '../http/local-guard.js';
import { only } from '../http/methods.js';
import { parseBody } from '../request/refusal.js';
import type { Services } from '../services.js';
import type { Upstreams } from './upstreams.js';

const PATH = '/pilotlight/upstreams';

const WORDS = {
  name: 'a text of 1 to 100 characters',
  url: 'a URL that begins with http:// or https://',
  models: 'null, for all, or a list of ids',
  enabled: 'true or false',
  key: 'a text that is not empty, or null',
  ids: 'a list of ids',
};

export function routeUpstreams(app: Express, { upstreams }: Services): void {
  app.use(PATH, localGuard);
  app
    .route(PATH)
    .get(list(upstreams))
    .post(jsonBody(), add(upstreams))
    .all(only('GET, HEAD, POST'));
  // Before the ids: it is none.
  app
    .route(`${PATH}/order`)
    .get(order(upstreams))
    .put(jsonBody(), putOrder(upstreams))
    .all(only('GET, HEAD, PUT'));
  app
    .route(`${PATH}/:id`)
    .put(jsonBody(), change(upstreams))
    .delete(remove(upstreams))
    .all(only('PUT, DELETE'));
  app.route(`${PATH}/:id/check`).post(check(upstreams)).all(only('POST'));
}

type RequestWithId = Request<{ id: string }>;

function list(upstreams: Upstreams) {
  return (_req: Request, res: Response): void => {
    const answer: UpstreamList = { upstreams: upstreams.list() };
    res.json(answer);
  };
}

function add(upstreams: Upstreams) {
  return async (req: Request, res: Response): Promise<void> => {
    const answer: Upstream = await upstreams.add(parseBody(putUpstreamSchema, req.body, WORDS));
    res.json(answer);
  };
}

function change(upstreams: Upstreams) {
  return async (req: RequestWithId, res: Response): Promise<void> => {
    const put = parseBody(putUpstreamSchema, req.body, WORDS);
    const answer: Upstream = await upstreams.change(req.params.id, put);
    res.json(answer);
  };
}

/** Answers with those that are left. */
function remove(upstreams: Upstreams) {
  return async ({ params: { id } }: RequestWithId, res: Response): Promise<void> => {
    await upstreams.remove(id);
    const answer: UpstreamList = { upstreams: upstreams.list() };
    res.json(answer);
  };
}

function check(upstreams: Upstreams) {
  return async ({ params: { id } }: RequestWithId, res: Response): Promise<void> => {
    const answer: Upstream = await upstreams.check(id);
    res.json(answer);
  };
}

function order(upstreams: Upstreams) {
  return (_req: Request, res: Response): void => {
    const answer: UpstreamOrder = { ids: upstreams.list().map(({ id }) => id) };
    res.json(answer);
  };
}

function putOrder(upstreams: Upstreams) {
  return async (req: Request, res: Response): Promise<void> => {
    await upstreams.order(parseBody(upstreamOrderSchema, req.body, WORDS).ids);
    const answer: UpstreamOrder = { ids: upstreams.list().map(({ id }) => id) };
    res.json(answer);
  };
}
