import type http from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import { cors } from './cors.js';

const APP = 'https://app.example';

let server: http.Server;
afterEach(() => new Promise((resolve) => server.close(resolve)));

/** Answers 401 to all that gets through, as the guard of keys does. */
async function ask(origins: string[], method: string, headers: Record<string, string>) {
  const app = express();
  app.use(cors(() => new Set(origins)));
  app.use((_req, res) => void res.status(401).json({}));
  await new Promise<void>((resolve) => {
    server = app.listen(0, '127.0.0.1', () => resolve());
  });
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/v1/models`, { method, headers });
  const shown = [...response.headers].filter(([name]) => /^(access-control-|vary)/.test(name));
  return { status: response.status, headers: Object.fromEntries(shown) };
}

const preflight = (origin: string, more: Record<string, string> = {}) => ({
  origin,
  'access-control-request-method': 'POST',
  ...more,
});

describe('an allowed origin', () => {
  it('gets its preflight answered before any key', async () => {
    const wanted = 'authorization, content-type,x-api-key,anthropic-version,x-stainless-os';
    const headers = preflight(APP, { 'access-control-request-headers': wanted });
    expect(await ask([APP], 'OPTIONS', headers)).toEqual({
      status: 204,
      headers: {
        'access-control-allow-origin': APP,
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
        'access-control-allow-headers':
          'authorization, content-type, x-api-key, anthropic-version, x-stainless-os',
        'access-control-max-age': '600',
        vary: 'Origin, Access-Control-Request-Headers',
      },
    });
  });

  it('may read the answer, also of a refusal, and some headers', async () => {
    const { status, headers } = await ask([APP], 'GET', { origin: APP });
    expect([status, headers]).toEqual([
      401,
      {
        'access-control-allow-origin': APP,
        'access-control-expose-headers':
          'x-request-id, request-id, x-pilotlight-receipt, x-pilotlight-ignored, retry-after, ' +
          'x-pilotlight-upstream, x-pilotlight-upstream-request-id, x-pilotlight-upstream-receipt',
        vary: 'Origin',
      },
    ]);
  });

  it('may ask from a public page for this private network, where it asks for that', async () => {
    const header = 'access-control-request-private-network';
    const { headers } = await ask([APP], 'OPTIONS', preflight(APP, { [header]: 'true' }));
    expect(headers['access-control-allow-private-network']).toBe('true');
  });

  it('gets no header named that is no plain name', async () => {
    const asks = { 'access-control-request-headers': 'authorization, x"y' };
    const { status, headers } = await ask([APP], 'OPTIONS', preflight(APP, asks));
    expect([status, headers['access-control-allow-headers']]).toEqual([204, undefined]);
  });

  it('is never given credentials', async () => {
    for (const method of ['GET', 'OPTIONS']) {
      const { headers } = await ask(['*'], method, preflight(APP));
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });

  it('has only what is a preflight taken for one', async () => {
    expect((await ask([APP], 'OPTIONS', { origin: APP })).status).toBe(401);
  });
});

describe('other origins', () => {
  it.each(['https://evil.example', 'http://app.example', 'https://app.example:1', 'null', ''])(
    'get nothing: "%s"',
    async (origin) => {
      expect(await ask([APP], 'OPTIONS', preflight(origin))).toEqual({
        status: 401,
        headers: { vary: 'Origin' },
      });
    },
  );

  it('all get in with "*", but for "null"', async () => {
    const any = await ask(['*'], 'OPTIONS', preflight('https://any.example'));
    expect([any.status, any.headers['access-control-allow-origin']]).toEqual([
      204,
      'https://any.example',
    ]);
    expect((await ask(['*'], 'OPTIONS', preflight('null'))).status).toBe(401);
  });
});

it('sends no header of its own where no origin is allowed', async () => {
  expect(await ask([], 'OPTIONS', preflight(APP))).toEqual({ status: 401, headers: {} });
});
