// Who may use the inspector.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { addKey } from '../store/key-file.js';
import { ensureOwnerKey } from '../store/owner-key.js';
import { failure, type TestServer } from '../test-server.js';
import { InspectorClient, inspectedServers } from './test-inspector.js';

const start = inspectedServers();

describe('who may', () => {
  const ROUTES: [string, string][] = [
    ['GET', ''],
    ['PUT', '/switch'],
    ['GET', '/events'],
    ['GET', '/requests/rcpt_1'],
    ['POST', '/requests/rcpt_1/cancel'],
    ['POST', '/requests/rcpt_1/replay'],
    ['GET', '/requests/rcpt_1/snippets'],
    ['DELETE', ''],
    ['GET', '/nothing'],
  ];

  it('is nobody with an API key, and nobody without any', async () => {
    const { test } = await start({ models: [], config: { apiKeys: ['given'] } });
    const kept = await addKey(test.dataDir, 'laptop');
    const open = await start({ models: [] });
    const tries: [TestServer, Record<string, string>, number][] = [
      [test, { authorization: 'Bearer given' }, 403],
      [test, { 'x-api-key': kept }, 403],
      [test, {}, 401],
      [test, { authorization: 'Bearer wrong' }, 401],
      [open.test, {}, 403],
      [open.test, { authorization: 'Bearer wrong' }, 403],
    ];
    for (const [server, headers, status] of tries) {
      for (const [method, route] of ROUTES) {
        const url = `${server.server.url}/pilotlight/inspector${route}`;
        const told = await failure(await fetch(url, { method, headers }));
        expect([method, route, headers, told.status]).toEqual([method, route, headers, status]);
        if (status === 403) expect(told.message).toContain('pilotlight inspector key');
      }
    }
  });

  it("is the person, with the window's key or their own", async () => {
    const { test, inspector } = await start({ models: [] });
    expect((await inspector.state()).enabled).toBe(false);
    const key = await ensureOwnerKey(test.dataDir);
    const own = new InspectorClient(test, key);
    expect((await own.switch(true)).enabled).toBe(true);
    // It opens all else too, as the window's does, and needs none to be there.
    expect((await fetch(`${test.server.url}/v1/models`)).status).toBe(200);
    await addKey(test.dataDir, 'laptop');
    const headers = { authorization: `Bearer ${key}` };
    expect((await fetch(`${test.server.url}/v1/models`, { headers })).status).toBe(200);
    expect((await fetch(`${test.server.url}/v1/models`)).status).toBe(401);
    const log = await readFile(path.join(test.dataDir, 'logs', 'server.log'), 'utf8');
    expect(log).toContain('"client":"owner"');
    expect(log).not.toContain(key);
  });

  it('is no page of another origin, also of one that may use the API', async () => {
    const { test, inspector } = await start({
      models: [],
      config: { allowedOrigins: ['https://app.example'] },
    });
    const status = async (origin: string) =>
      (await inspector.ask('', { headers: { origin } })).status;
    expect(await status('https://evil.example')).toBe(403);
    expect(await status('null')).toBe(403);
    expect(await status('https://app.example')).toBe(403);
    expect(await status(`http://127.0.0.1:${test.port}`)).toBe(200);
  });
});
