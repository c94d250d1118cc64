/** What is asked of a chat, and done with its messages. */
import type { Express, Request } from 'express';
import { countSchema } from '../../protocol/attachments.js';
import {
  askAgainSchema,
  askSchema,
  editMessageSchema,
  TEXT_LENGTH_MAX,
} from '../../protocol/chats.js';
import { toolDecisionSchema } from '../../protocol/mcp.js';
import { jsonBody, optionalJsonBody } from '../http/body.js';
import { only } from '../http/methods.js';
import { parseBody } from '../request/refusal.js';
import type { Chats } from './chats.js';
import { saved } from './saved.js';

type RequestInChat = Request<{ id: string }>;
type RequestOfMessage = Request<{ id: string; message: string }>;

const MODELS = 'a list of 1 to 4 ids of models';
const TEXT_WORDS = `a text of at most ${TEXT_LENGTH_MAX} characters`;
const ASK_WORDS = {
  parent_id: 'the id of an answer, or null',
  text: TEXT_WORDS,
  attachments: 'a list of ids',
  models: MODELS,
};

export function routeMessages(app: Express, chats: Chats): void {
  const chat = '/pilotlight/chats/:id';
  const message = `${chat}/messages/:message`;
  const onlyPost = only('POST');
  app
    .route(`${chat}/messages`)
    .post(
      jsonBody(),
      saved(({ params: { id }, body }: RequestInChat, res) => {
        res.json(chats.messages.ask(id, parseBody(askSchema, body, ASK_WORDS)));
      }),
    )
    .all(onlyPost);
  app
    .route(`${chat}/count`)
    .post(
      jsonBody(),
      saved(async ({ params: { id }, body }: RequestInChat, res) => {
        const gone = new AbortController();
        res.on('close', () => gone.abort());
        const question = parseBody(countSchema, body, ASK_WORDS);
        res.json(await chats.messages.count(id, question, gone.signal));
      }),
    )
    .all(onlyPost);
  app
    .route(`${chat}/stop`)
    .post(
      saved(async ({ params: { id } }: RequestInChat, res) => {
        res.json({ ids: await chats.messages.stop(id) });
      }),
    )
    .all(onlyPost);
  app
    .route(message)
    .patch(
      jsonBody(),
      saved(({ params, body }: RequestOfMessage, res) => {
        const { text } = parseBody(editMessageSchema, body, { text: TEXT_WORDS });
        res.json(chats.messages.edit(params.id, params.message, text));
      }),
    )
    .delete(
      saved(async ({ params }: RequestOfMessage, res) => {
        res.json({ ids: await chats.messages.delete(params.id, params.message) });
      }),
    )
    .all(only('PATCH, DELETE'));
  app
    .route(`${message}/restore`)
    .post(
      saved(({ params }: RequestOfMessage, res) => {
        res.json({ ids: chats.messages.restore(params.id, params.message) });
      }),
    )
    .all(onlyPost);
  app
    .route(`${message}/answers`)
    .post(
      optionalJsonBody(),
      saved(({ params, body }: RequestOfMessage, res) => {
        const { models } = parseBody(askAgainSchema, body, { models: MODELS });
        res.json(chats.messages.askAgain(params.id, params.message, models));
      }),
    )
    .all(onlyPost);
  app
    .route(`${message}/continue`)
    .post(
      saved(({ params }: RequestOfMessage, res) => {
        res.json(chats.messages.continue(params.id, params.message));
      }),
    )
    .all(onlyPost);
  app
    .route(`${message}/tools/:call`)
    .post(
      jsonBody(),
      saved(
        async ({ params, body }: Request<{ id: string; message: string; call: string }>, res) => {
          const { decision } = parseBody(toolDecisionSchema, body, {
            decision: '"once", "chat", "always" or "refuse"',
          });
          const place = { messageId: params.message, callId: params.call };
          res.json(await chats.messages.decide(params.id, place, decision));
        },
      ),
    )
    .all(onlyPost);
  app
    .route(`${message}/stop`)
    .post(
      saved(async ({ params }: RequestOfMessage, res) => {
        res.json({ ids: await chats.messages.stop(params.id, params.message) });
      }),
    )
    .all(onlyPost);
}
