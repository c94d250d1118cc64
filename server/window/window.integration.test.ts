// The window: its files, its state stream, and who may have which.
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ServerState, serverStateSchema } from '../../protocol/models.js';
import { addKey, removeKey } from '../store/key-file.js';
import { isLoaded, putCurrentModel, type TestServerOptions, testServers } from '../test-server.js';

const start = testServers();

describe('the state stream', () => {
  it('has the whole state at once and after each change', async () => {
    const test = await start({ models: ['scripted', 'random'] });
    const controller = new AbortController();
    const response = await fetch(`${test.server.url}/pilotlight/events`, {
      signal: controller.signal,
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const states: ServerState[] = [];
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      rest += decoder.decode(chunk, { stream: true });
      const events = rest.split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) {
        expect(event).toMatch(/^data: \{/);
        states.push(serverStateSchema.parse(JSON.parse(event.slice('data: '.length))));
      }
      if (states.length === 1) await putCurrentModel(test, { model: 'random' });
      const last = states.at(-1);
      if (last?.current_model === 'random' && isLoaded('random')(last)) break;
    }
    controller.abort();
    expect(states[0]?.current_model).toBe('scripted');
    expect(states[0]?.models_dir).toBe(test.modelsDir);
  });
});

it('many may follow the state, and Node warns of nothing', async () => {
  const test = await start();
  const warnings: Error[] = [];
  const warned = (warning: Error) => warnings.push(warning);
  process.on('warning', warned);
  const leaving = new AbortController();
  const { signal } = leaving;
  for (let i = 0; i < 6; i++) {
    for (const route of ['/pilotlight/events', '/pilotlight/models/events']) {
      const stream = await fetch(`${test.server.url}${route}`, { signal });
      await stream.body?.getReader().read();
    }
  }
  leaving.abort();
  process.off('warning', warned);
  expect(warnings).toEqual([]);
});

describe('the window', () => {
  async function withWindow(config: TestServerOptions['config'] = {}) {
    const rendererDir = await mkdtemp(path.join(os.tmpdir(), 'renderer-'));
    await mkdir(path.join(rendererDir, 'assets'));
    await writeFile(
      path.join(rendererDir, 'index.html'),
      '<!doctype html><title>Pilotlight</title>',
    );
    await writeFile(path.join(rendererDir, 'assets', 'app-1a2b.js'), 'export {}');
    await writeFile(path.join(rendererDir, '.env'), 'secret');
    await writeFile(path.join(rendererDir, '..', 'outside.txt'), 'outside');
    return start({ config: { rendererDir, ...config } });
  }

  it('is at /, with its files, under a strict policy', async () => {
    const test = await withWindow();
    const page = await fetch(test.server.url);
    expect(await page.text()).toContain('<title>Pilotlight</title>');
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('cache-control')).toBe('no-cache');
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    // Programs made for Ollama look so whether somebody is there.
    expect((await fetch(test.server.url, { method: 'HEAD' })).status).toBe(200);
    const script = await fetch(`${test.server.url}/assets/app-1a2b.js`);
    expect(script.headers.get('content-type')).toMatch(/javascript/);
    expect(script.headers.get('cache-control')).toContain('immutable');
  });

  it('hands out nothing else', async () => {
    const test = await withWindow();
    for (const target of ['/.env', '/../outside.txt', '/..%2foutside.txt', '/assets', '/nope.js']) {
      const text = await test.raw(
        `GET ${target} HTTP/1.1\r\nHost: localhost:${test.port}\r\nConnection: close\r\n\r\n`,
      );
      expect(text, target).toMatch(/^HTTP\/1\.1 40[034] /);
      expect(text, target).toContain('"error":{');
    }
    expect((await fetch(test.server.url, { method: 'POST' })).status).toBe(405);
  });

  it('needs no key itself, while the API does', async () => {
    const test = await withWindow({ apiKeys: ['k1', 'k2'], windowKey: 'w' });
    const status = async (route: string, key?: string) => {
      const headers: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {};
      return (await fetch(test.server.url + route, { headers })).status;
    };
    expect(await status('/')).toBe(200);
    expect(await status('/health')).toBe(200);
    for (const route of ['/v1/models', '/v1/nope', '/v1/chat/completions', '/pilotlight/events']) {
      expect([route, await status(route), await status(route, 'wrong')]).toEqual([route, 401, 401]);
    }
    for (const key of ['k1', 'k2', 'w']) expect(await status('/v1/models', key)).toBe(200);
  });
});

describe('a server for the network', () => {
  it('starts with a kept key alone, and stays shut when that is removed', async () => {
    const dataDir = await mkdtemp(path.join(os.tmpdir(), 'network-'));
    const config = { host: '0.0.0.0' };
    await expect(start({ dataDir, config })).rejects.toThrow('pilotlight keys add NAME');
    const key = await addKey(dataDir, 'laptop');
    const { port } = await start({ dataDir, config });
    const status = async () => {
      const headers = { authorization: `Bearer ${key}` };
      return (await fetch(`http://127.0.0.1:${port}/v1/models`, { headers })).status;
    };
    expect(await status()).toBe(200);
    await removeKey(dataDir, 'laptop');
    expect(await status()).toBe(401);
    expect((await fetch(`http://127.0.0.1:${port}/v1/models`)).status).toBe(401);
  });

  it('is reached by the addresses of the machine, with a key', async () => {
    const test = await start({ models: ['scripted'], config: { host: '0.0.0.0', apiKeys: ['k'] } });
    const names = Object.values(os.networkInterfaces())
      .flat()
      .flatMap((found) => (found?.family === 'IPv4' ? [found.address] : []));
    for (const name of ['localhost', ...names]) {
      const text = await test.raw(
        `GET /v1/models HTTP/1.1\r\nHost: ${name}:${test.port}\r\nAuthorization: Bearer k\r\nConnection: close\r\n\r\n`,
      );
      expect(text, name).toMatch(/^HTTP\/1\.1 200 /);
    }
    const { url, urls } = test.server;
    expect([url, test.server.state.now().url]).toEqual([urls[0], urls[0]]);
    expect(urls).toContain(`http://127.0.0.1:${test.port}`);
    for (const each of urls) {
      expect(each).not.toContain('0.0.0.0');
      expect((await fetch(`${each}/health`)).status, each).toBe(200);
    }
    const foreign = await test.raw(
      `GET /health HTTP/1.1\r\nHost: evil.example:${test.port}\r\nConnection: close\r\n\r\n`,
    );
    expect(foreign).toMatch(/^HTTP\/1\.1 403 /);
  });
});
