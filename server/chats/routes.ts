/** The person's chats, their folders and presets; for this machine only. What is asked of a chat is in message-routes.ts. */
import type { Express, NextFunction, Request, RequestHandler, Response } from 'express';
import {
  type ChatSearch,
  chatFolderPatchSchema,
  chatPatchSchema,
  newChatFolderSchema,
  newChatSchema,
  newPresetSchema,
  TEXT_LENGTH_MAX,
  TITLE_LENGTH_MAX,
} from '../../protocol/chats.js';
import { jsonBody } from '../http/body.js';
import { invalidRequest } from '../http/errors.js';
import { localGuard } from '../http/local-guard.js';
import { only } from '../http/methods.js';
import { queryOf } from '../http/query.js';
import { parseBody } from '../request/refusal.js';
import type { Services } from '../services.js';
import type { Chats } from './chats.js';
import { chatEvents } from './events.js';
import { routeMessages } from './message-routes.js';
import { notFound } from './refusals.js';
import { saved } from './saved.js';
import { searchChats } from './search.js';

/** Characters that are searched for. */
const QUERY_LENGTH_MAX = 1_000;

type RequestWithId = Request<{ id: string }>;

export function routeChats(app: Express, services: Services): void {
  const { chats, database } = services;
  const path = '/pilotlight/chats';
  const onlyGet = only('GET');
  for (const guarded of [path, '/pilotlight/chat-folders', '/pilotlight/presets']) {
    app.use(guarded, localGuard, forNobodyElse);
  }
  app
    .route(path)
    .get(list(chats))
    .post(jsonBody(), saved(create(chats)))
    .all(only('GET, HEAD, POST'));
  // Express answers HEAD with the handler of GET, which here has no end.
  app.route(`${path}/events`).head(onlyGet).get(chatEvents(services)).all(onlyGet);
  app
    .route(`${path}/search`)
    .get((req, res) => {
      const query = queryOf(req).get('q') ?? '';
      if (query.length > QUERY_LENGTH_MAX) {
        throw invalidRequest(`q must be at most ${QUERY_LENGTH_MAX} characters.`, 'q');
      }
      const answer: ChatSearch = searchChats(database, query);
      res.json(answer);
    })
    .all(only('GET, HEAD'));
  routeMessages(app, chats);
  app
    .route(`${path}/:id`)
    .get((req: RequestWithId, res: Response) => void res.json(chats.find(req.params.id)))
    .patch(jsonBody(), saved(patch(chats)))
    .delete(saved(remove(chats)))
    .all(only('GET, HEAD, PATCH, DELETE'));
  app
    .route(`${path}/:id/restore`)
    .post(saved((req: RequestWithId, res) => void res.json(chats.restore(req.params.id))))
    .all(only('POST'));
  routeFolders(app, chats);
  routePresets(app, chats);
}

type Handler<Params> = (req: Request<Params>, res: Response) => void | Promise<void>;

/** A browser would keep chats on its disk. */
function forNobodyElse(_req: Request, res: Response, next: NextFunction): void {
  res.set('cache-control', 'no-store');
  next();
}

const TITLE_WORDS = `a text of at most ${TITLE_LENGTH_MAX} characters`;
const NAME_WORDS = `a text of 1 to ${TITLE_LENGTH_MAX} characters`;
const CHAT_WORDS = {
  title: TITLE_WORDS,
  folder_id: 'the id of a folder, or null',
  pinned: 'true or false',
  archived: 'true or false',
  draft: `a text of at most ${TEXT_LENGTH_MAX} characters`,
  leaf_id: 'the id of a message, or null',
};

function list(chats: Chats): RequestHandler {
  return (_req, res) => void res.json(chats.list());
}

function create(chats: Chats): Handler<object> {
  return (req, res) => {
    const {
      title = '',
      folder_id = null,
      settings = {},
    } = parseBody(newChatSchema, req.body, CHAT_WORDS);
    checkSchema(settings.response_schema);
    res.json(chats.create({ title: title === '' ? null : title, folder_id, settings }));
  };
}

function patch(chats: Chats): Handler<{ id: string }> {
  return (req, res) => {
    const wanted = parseBody(chatPatchSchema, req.body, CHAT_WORDS);
    checkSchema(wanted.settings?.response_schema);
    res.json(chats.patch(req.params.id, wanted));
  };
}

/** @throws ApiError 400; whether the model can keep to it, the first answer shows. */
function checkSchema(text: string | null | undefined): void {
  if (text == null) return;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return;
  } catch {
    // Told below.
  }
  throw invalidRequest(
    'settings.response_schema must be a JSON Schema: an object, as JSON text.',
    'settings.response_schema',
  );
}

function remove(chats: Chats): Handler<{ id: string }> {
  return async ({ params: { id } }, res) => {
    await chats.delete(id);
    res.json({ ids: [id] });
  };
}

function routeFolders(app: Express, chats: Chats): void {
  const path = '/pilotlight/chat-folders';
  const tell = (res: Response) => {
    chats.tellFolders();
    res.json({ folders: chats.store.folders() });
  };
  app
    .route(path)
    .get((_req, res) => void res.json({ folders: chats.store.folders() }))
    .post(
      jsonBody(),
      saved((req, res) => {
        const { name } = parseBody(newChatFolderSchema, req.body, { name: NAME_WORDS });
        chats.store.addFolder(name);
        tell(res);
      }),
    )
    .all(only('GET, HEAD, POST'));
  app
    .route(`${path}/:id`)
    .patch(
      jsonBody(),
      saved((req: RequestWithId, res) => {
        const words = { name: NAME_WORDS, position: 'a whole number from 0' };
        const change = parseBody(chatFolderPatchSchema, req.body, words);
        if (!chats.store.changeFolder(req.params.id, change))
          throw notFound('folder', req.params.id);
        tell(res);
      }),
    )
    .delete(
      saved((req: RequestWithId, res) => {
        chats.deleteFolder(req.params.id);
        res.json({ folders: chats.store.folders() });
      }),
    )
    .all(only('PATCH, DELETE'));
}

function routePresets(app: Express, chats: Chats): void {
  const path = '/pilotlight/presets';
  const words = { name: NAME_WORDS, system_prompt: 'a text of at most 1000000 characters' };
  app
    .route(path)
    .get((_req, res) => void res.json({ presets: chats.store.presets() }))
    .post(
      jsonBody(),
      saved((req, res) => {
        res.json(chats.store.putPreset(null, parseBody(newPresetSchema, req.body, words)));
      }),
    )
    .all(only('GET, HEAD, POST'));
  app
    .route(`${path}/:id`)
    .put(
      jsonBody(),
      saved((req: RequestWithId, res) => {
        const { id } = req.params;
        const preset = chats.store.putPreset(id, parseBody(newPresetSchema, req.body, words));
        if (preset === null) throw notFound('preset', id);
        res.json(preset);
      }),
    )
    .delete(
      saved((req: RequestWithId, res) => {
        if (!chats.store.deletePreset(req.params.id)) throw notFound('preset', req.params.id);
        res.json({ presets: chats.store.presets() });
      }),
    )
    .all(only('PUT, DELETE'));
}
