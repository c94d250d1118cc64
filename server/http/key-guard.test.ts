import { mkdtemp, rm } from 'node:fs/promises';
import type http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import express from 'express';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiKeys } from '../store/api-keys.js';
import { addKey } from '../store/key-file.js';
import { errorHandler } from './errors.js';
import { keyGuard } from './key-guard.js';
import { factsOf } from './request-log.js';

let dataDir: string;
let stored: string;
let server: http.Server;

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'key-guard-'));
  const app = express();
  const given = { dataDir, windowKey: 'window-key', always: () => false };
  app.use('/open', keyGuard(new ApiKeys({ ...given, dataDir: `${dataDir}/none`, given: [] })));
  app.use('/locked', keyGuard(new ApiKeys({ ...given, given: ['right-key', 'second key'] })));
  app.use((_req, res) => void res.json({ client: factsOf(res).client ?? null }));
  app.use(errorHandler(pino({ enabled: false })));
  stored = await addKey(dataDir, 'laptop');
  await new Promise<void>((resolve) => {
    server = app.listen(0, '127.0.0.1', () => resolve());
  });
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await rm(dataDir, { recursive: true });
});

async function get(route: string, headers: Record<string, string> = {}) {
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}${route}`, { headers });
  return { status: response.status, body: (await response.json()) as never };
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

describe('a locked server', () => {
  it.each([
    ['right-key', 'api-key'],
    ['second key', 'api-key-2'],
    ['window-key', 'window'],
  ])('opens with %s, and knows whose it is', async (key, client) => {
    const admitted = { status: 200, body: { client } };
    expect(await get('/locked', bearer(key))).toEqual(admitted);
    expect(await get('/locked', { authorization: `bearer  ${key} ` })).toEqual(admitted);
    expect(await get('/locked', { 'x-api-key': key })).toEqual(admitted);
  });

  it('opens with a stored key, by its name', async () => {
    expect(await get('/locked', bearer(stored))).toEqual({
      status: 200,
      body: { client: 'laptop' },
    });
  });

  it('takes the right one of two', async () => {
    for (const headers of [
      { ...bearer('of another service'), 'x-api-key': 'right-key' },
      { ...bearer('right-key'), 'x-api-key': 'of another service' },
    ])
      expect((await get('/locked', headers)).status).toBe(200);
  });

  it.each<[string, Record<string, string>]>([
    ['nothing', {}],
    ['a wrong key', bearer('wrong')],
    ['a longer key', bearer('right-key2')],
    ['an empty key', { authorization: 'Bearer ' }],
    ['two empty keys', { authorization: 'Bearer ', 'x-api-key': '' }],
    ['no scheme', { authorization: 'right-key' }],
    ['another scheme', { authorization: 'Basic right-key' }],
    ['two keys in one', { 'x-api-key': 'right-key, right-key' }],
  ])('stays shut with %s', async (_, headers) => {
    const { status, body } = await get('/locked', headers);
    expect([status, body]).toMatchObject([
      401,
      { error: { code: 'invalid_api_key', message: expect.stringContaining('keys add NAME') } },
    ]);
  });

  it('says to who has a wrong key where the right ones are named', async () => {
    expect((await get('/locked', bearer('wrong'))).body).toMatchObject({
      error: { message: expect.stringContaining('"pilotlight keys list"') },
    });
  });

  it.each(['api_key', 'key', 'token', 'access_token', 'Authorization', 'x-api-key'])(
    'takes no key from the query, such as ?%s=',
    async (name) => {
      expect((await get(`/locked?${name}=right-key`)).status).toBe(401);
    },
  );
});

it('asks for nothing where there are no keys, and still knows the window', async () => {
  expect(await get('/open')).toEqual({ status: 200, body: { client: null } });
  expect((await get('/open', bearer('anything'))).status).toBe(200);
  expect((await get('/open', bearer('window-key'))).body).toEqual({ client: 'window' });
});
