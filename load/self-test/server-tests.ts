/** What a server promises whatever model it has: who may use it, and how it refuses. */
import http from 'node:http';
import https from 'node:https';
import { z } from 'zod';
import { jsonOf } from '../event-data.js';
import { type Answered, expect, expectStatus, Fault, readAs, Skip } from './live-server.js';
import type { Test } from './model-tests.js';
import type { Subject } from './subject.js';

/** Never anybody's: the name is reserved for what does not exist. */
const FOREIGN = 'self-test.invalid';

export const healthTest: Test = async ({ live }) => {
  const schema = z.object({
    status: z.literal('ok'),
    name: z.literal('pilotlight'),
    version: z.string().optional(),
  });
  const { version } = readAs(await live.ask(live.outside('/health')), schema);
  return version === undefined ? null : `Pilotlight ${version}`;
};

export const modelsTest: Test = async ({ live, api }) => {
  const schema = z.object({
    object: z.literal('list'),
    data: z.array(
      z.object({
        id: z.string().min(1),
        object: z.literal('model'),
        created: z.number().int(),
        owned_by: z.string(),
      }),
    ),
  });
  const { data } = readAs(await live.ask(`${api.base}/models`), schema);
  expect(new Set(data.map(({ id }) => id)).size === data.length, 'an id is there twice');
  return data.map(({ id }) => id).join(', ') || null;
};

export const keepAliveTest: Test = async ({ live, api }) => {
  const agent = new (api.isTls ? https : http).Agent({ keepAlive: true, maxSockets: 1 });
  try {
    await live.ask(live.outside('/health'), { agent });
    const second = await live.ask(live.outside('/health'), { agent });
    expect(second.isReused, 'each request needs a connection of its own');
    return null;
  } finally {
    agent.destroy();
  }
};

const REFUSALS: readonly {
  asked: (subject: Subject) => { path: string; method?: string; body?: unknown };
  status: number;
  code?: string;
}[] = [
  { asked: ({ api }) => ({ path: `${api.base}/chat/completions`, body: {} }), status: 400 },
  { asked: ({ api }) => ({ path: `${api.base}/chat/completions`, body: '{"a":' }), status: 400 },
  {
    asked: ({ api }) => ({
      path: `${api.base}/chat/completions`,
      body: { model: FOREIGN, messages: [{ role: 'user', content: 'Hi.' }] },
    }),
    ...{ status: 404, code: 'model_not_found' },
  },
  { asked: ({ api }) => ({ path: `${api.base}/self-test-nothing` }), status: 404 },
  {
    asked: ({ api }) => ({ path: `${api.base}/chat/completions`, method: 'DELETE' }),
    status: 405,
  },
];

export const errorsTest: Test = async (subject) => {
  for (const { asked, status, code } of REFUSALS) {
    const { path, ...rest } = asked(subject);
    const answered = await subject.live.ask(path, rest);
    expectStatus(answered, status);
    const said = errorOf(answered);
    if (code !== undefined) expect(said.code === code, `the code is ${said.code}, not ${code}`);
  }
  return null;
};

const errorSchema = z.strictObject({
  error: z.strictObject({
    message: z.string().min(1),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string().nullable(),
  }),
});

/** All four keys are there, also where they are null: clients read them without asking. */
function errorOf({ text, status }: Answered) {
  const read = errorSchema.safeParse(jsonOf(text));
  if (read.success) return read.data.error;
  throw new Fault(`the error of status ${status} has not the four keys of OpenAI's: ${text}`);
}

export const hostGuardTest: Test = async ({ live, api }) => {
  const answered = await live.ask(`${api.base}/models`, { headers: { host: FOREIGN } });
  expect(answered.status === 403, `a foreign Host is answered with ${answered.status}`);
  return null;
};

export const originGuardTest: Test = async ({ live, api, origins }) => {
  if (origins?.includes('*')) throw new Skip('pages of every origin are allowed');
  const headers = { origin: `https://${FOREIGN}` };
  const answered = await live.ask(`${api.base}/models`, { headers });
  if (answered.headers['access-control-allow-origin'] !== undefined && origins === null) {
    throw new Skip('pages of every origin are allowed');
  }
  expect(answered.status === 403, `a page of a foreign origin is answered with ${answered.status}`);
  const allowed = answered.headers['access-control-allow-origin'];
  expect(allowed === undefined, `a page of a foreign origin may read: ${allowed}`);
  return null;
};

export const corsTest: Test = async ({ live, api, origins }) => {
  const origin = origins?.find((each) => each !== '*') ?? (origins ? `https://${FOREIGN}` : null);
  if (origin === null || origins === null || origins.length === 0) {
    throw new Skip('no page of another origin is allowed');
  }
  const answered = await live.ask(`${api.base}/chat/completions`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization, content-type',
    },
    withKey: false,
  });
  expectStatus(answered, 204);
  const { headers } = answered;
  const allowed = headers['access-control-allow-origin'];
  expect(allowed === origin || allowed === '*', `${origin} is not allowed, but ${allowed}`);
  const names = headers['access-control-allow-headers'] ?? '';
  expect(/authorization/i.test(names), `a page may send no key, but ${names}`);
  return origin;
};

export const keyGuardTest: Test = async ({ live, api }) => {
  const path = `${api.base}/models`;
  const without = await live.ask(path, { withKey: false });
  if (without.status === 200) throw new Skip('no key is needed');
  expectStatus(without, 401);
  errorOf(without);
  const headers = { authorization: 'Bearer self-test-no-key' };
  expectStatus(await live.ask(path, { withKey: false, headers }), 401);
  if (api.key === null) return null;
  expectStatus(await live.ask(path), 200);
  const query = await live.ask(`${path}?api_key=${encodeURIComponent(api.key)}`, {
    withKey: false,
  });
  expect(query.status === 401, 'a key in the address opens it, where logs would keep it');
  return null;
};
