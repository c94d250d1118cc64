// Where the server is and who may use it, changed while it runs: by the developer page, and by whoever else writes settings.
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { apiKeyListSchema, madeApiKeySchema, servingSchema } from '../../protocol/serving.js';
import { failure, type TestServer, testServers, user } from '../test-server.js';

const start = testServers();
const messages = [user('Hi.')];

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** A server whose address the settings say. */
async function startAtSettings(settings: object = {}, config: object = {}): Promise<TestServer> {
  const port = await freePort();
  return start({
    models: ['scripted'],
    settings: { port, ...settings },
    config: { port: null, ...config },
  });
}

/** Each over a connection of its own: an idle one may be closed, as the server moves, just when it is used again. */
function send(
  url: string,
  method = 'GET',
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const request = http.request(url, { method, agent: false, headers: { ...headers, ...type } });
    request.on('error', reject);
    request.on('response', async (response) => {
      const told = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
      const { statusCode: status = 0 } = response;
      resolve(new Response(await text(response), { status, headers: Object.fromEntries(told) }));
    });
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const get = (url: string, headers: Record<string, string> = {}) =>
  send(url, 'GET', undefined, headers);

const change = (test: TestServer, patch: object, headers: Record<string, string> = {}) =>
  send(`${test.server.url}/pilotlight/settings`, 'PATCH', patch, headers);

const isUp = (url: string) =>
  get(`${url}/health`).then(
    (response) => response.status === 200,
    () => false,
  );

/** Resolves once nobody listens there; a test's limit of time is its end. */
async function down(url: string): Promise<void> {
  while (await isUp(url)) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe('the address', () => {
  it('moves while an answer goes on at the old one, and is remembered', async () => {
    const test = await startAtSettings();
    const before = test.server.url;
    const answer = await test.chat({ messages, stream: true });
    const port = await freePort();
    const told = await change(test, { port });
    expect(told.status).toBe(200);
    // Its client must not try to ask there again.
    expect(told.headers.get('connection')).toBe('close');
    expect(test.server.url).toBe(`http://127.0.0.1:${port}`);
    expect((await test.until(({ url }) => url === test.server.url)).url).toBe(test.server.url);
    expect(await answer.text()).toContain('[DONE]');
    expect(await isUp(test.server.url)).toBe(true);
    await down(before);
    const info = servingSchema.parse(
      await (await get(`${test.server.url}/pilotlight/server`)).json(),
    );
    expect(info).toMatchObject({ port, network: false, keys_needed: false, given: [] });
    await test.stop();
    const again = await start({ models: [], dataDir: test.dataDir, config: { port: null } });
    expect(again.server.url).toBe(`http://127.0.0.1:${port}`);
  });

  it('stays where the new port is taken, and says by whom', async () => {
    const test = await startAtSettings();
    const holder = http.createServer((_req, res) => void res.end('mine')).listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const told = await failure(await change(test, { port, idle_ttl: 5 }));
    expect(told).toMatchObject({ status: 409, param: 'port', code: 'port_taken' });
    expect(told.message).toMatch(
      new RegExp(`^Port ${port} is used by .+\\. It stays at ${test.server.url}\\.$`),
    );
    expect(await isUp(test.server.url)).toBe(true);
    const kept = JSON.parse(await readFile(path.join(test.dataDir, 'settings.json'), 'utf8'));
    expect(kept).not.toHaveProperty('idle_ttl');
    holder.close();
  });

  it('of an address that this machine does not have stays too', async () => {
    const test = await startAtSettings({}, { apiKeys: ['k'] });
    const key = { authorization: 'Bearer k' };
    const told = await failure(await change(test, { host: '192.0.2.1' }, key));
    expect(told).toMatchObject({ status: 409, param: 'host' });
    expect(told.message).toContain('192.0.2.1');
    expect(await isUp(test.server.url)).toBe(true);
  });

  it('of the start goes before the settings', async () => {
    const test = await start({ models: [] });
    const told = await failure(await change(test, { port: await freePort() }));
    expect(told).toMatchObject({ status: 409, param: 'port', code: 'address_given' });
    const info = await (await get(`${test.server.url}/pilotlight/server`)).json();
    expect(servingSchema.parse(info).given).toEqual(['port']);
  });

  it('follows what another process writes into the settings', async () => {
    const test = await startAtSettings();
    const port = await freePort();
    await writeFile(path.join(test.dataDir, 'settings.json'), JSON.stringify({ port }));
    await test.until(({ url }) => url === `http://127.0.0.1:${port}`);
    expect(await isUp(test.server.url)).toBe(true);
  });
});

describe('the network', () => {
  it('is opened with a key only, at the same port, and closed again', async () => {
    const test = await startAtSettings({}, { windowKey: 'w' });
    const port = new URL(test.server.url).port;
    const own = `http://127.0.0.1:${port}`;
    const told = await failure(await change(test, { host: '0.0.0.0' }));
    expect(told).toMatchObject({ status: 409, code: 'key_needed' });
    const made = madeApiKeySchema.parse(
      await (await send(`${own}/pilotlight/keys`, 'POST', { name: 'lan' })).json(),
    );
    const key = { authorization: `Bearer ${made.key}` };
    expect((await change(test, { host: '0.0.0.0' }, key)).status).toBe(200);
    const at = async (url: string, headers = {}) => (await get(`${url}/v1/models`, headers)).status;
    for (const url of test.server.urls) {
      expect([url, await at(url), await at(url, key)]).toEqual([url, 401, 200]);
    }
    const info = await (await get(`${own}/pilotlight/server`, key)).json();
    expect(servingSchema.parse(info)).toMatchObject({ host: '0.0.0.0', network: true });
    const last = await failure(await send(`${own}/pilotlight/keys/lan`, 'DELETE', undefined, key));
    expect(last).toMatchObject({ status: 409, code: 'last_key' });
    const others = test.server.urls.filter((url) => url !== own);
    const closed = await send(`${own}/pilotlight/settings`, 'PATCH', { host: '127.0.0.1' }, key);
    expect(closed.status).toBe(200);
    for (const url of others) expect([url, await isUp(url)]).toEqual([url, false]);
    expect(await at(own, key)).toBe(200);
  });

  it('is not opened by settings alone', async () => {
    const test = await startAtSettings({ host: '0.0.0.0' });
    expect(test.server.urls).toHaveLength(1);
    expect(test.server.state.now().notices.join()).toContain('it serves this machine only');
  });
});

describe('the switch', () => {
  it('refuses programs in words while the window goes on', async () => {
    const test = await start({ models: ['scripted'], config: { windowKey: 'w' } });
    await change(test, { api_enabled: false });
    expect((await test.until(({ serving }) => !serving)).serving).toBe(false);
    for (const route of ['/v1/models', '/api/tags', '/metrics', '/v1/nothing']) {
      expect([route, (await get(test.server.url + route)).status]).toEqual([route, 503]);
    }
    const told = await failure(await test.chat({ messages }));
    expect(told).toMatchObject({ status: 503, code: 'api_off' });
    expect(told.message).toContain('developer page');
    const owner = { authorization: 'Bearer w', 'content-type': 'application/json' };
    expect((await test.chat({ messages }, { headers: owner })).status).toBe(200);
    for (const route of ['/health', '/pilotlight/settings']) {
      expect((await get(test.server.url + route)).status).toBe(200);
    }
    await test.server.setServing(true);
    expect((await test.chat({ messages })).status).toBe(200);
  });
});

describe('allowed names and origins', () => {
  it('hold at once', async () => {
    const test = await start({ models: [] });
    const origin = 'https://app.example';
    const status = async () => (await get(`${test.server.url}/v1/models`, { origin })).status;
    const named = () =>
      test.raw('GET /health HTTP/1.1\r\nHost: llm.example\r\nConnection: close\r\n\r\n');
    expect([await status(), (await named()).slice(9, 12)]).toEqual([403, '403']);
    await change(test, { allowed_origins: [origin], allowed_hosts: ['llm.example'] });
    expect([await status(), (await named()).slice(9, 12)]).toEqual([200, '200']);
    await change(test, { allowed_origins: [], allowed_hosts: [] });
    expect([await status(), (await named()).slice(9, 12)]).toEqual([403, '403']);
  });

  it('are refused where no browser would say them, and every origin without a key', async () => {
    const test = await start({ models: [] });
    const slash = await failure(await change(test, { allowed_origins: ['https://App.example'] }));
    expect(slash).toMatchObject({ status: 400, param: 'allowed_origins[0]' });
    const every = await failure(await change(test, { allowed_origins: ['*'] }));
    expect(every).toMatchObject({ status: 409, code: 'key_needed' });
  });
});

describe('keys', () => {
  it('are made, open the server, and are forgotten', async () => {
    const test = await start({ models: [] });
    const at = `${test.server.url}/pilotlight/keys`;
    const answer = await send(at, 'POST', { name: 'laptop' });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { key } = madeApiKeySchema.parse(await answer.json());
    const bearer = { authorization: `Bearer ${key}` };
    expect((await get(at)).status).toBe(401);
    const list = await (await get(at, bearer)).text();
    expect(apiKeyListSchema.parse(JSON.parse(list)).keys.map(({ name }) => name)).toEqual([
      'laptop',
    ]);
    expect(list).not.toContain(key);
    const twice = await failure(await send(at, 'POST', { name: 'laptop' }, bearer));
    expect(twice).toMatchObject({ status: 409, param: 'name' });
    expect((await send(`${at}/laptop`, 'DELETE', undefined, bearer)).status).toBe(200);
    expect((await get(at)).status).toBe(200);
    expect((await failure(await send(`${at}/laptop`, 'DELETE'))).status).toBe(409);
  });
});
