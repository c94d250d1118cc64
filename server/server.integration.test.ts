// Starting, stopping, switching models, the window and its routes, keys.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type ServerState, serverStateSchema } from '../protocol/models.js';
import { errorBodySchema } from '../protocol/openai.js';
import { makeTestModel } from '../scripts/test-models/catalogue.js';
import { SCRIPTED_SENTENCE } from '../scripts/test-models/scripts.js';
import { StartError } from './server.js';
import {
  payloads,
  startTestServer,
  type TestServer,
  type TestServerOptions,
  user,
} from './test-server.js';

const started: TestServer[] = [];
afterEach(async () => {
  for (const server of started.splice(0)) await server.close();
});

async function start(options: TestServerOptions = {}): Promise<TestServer> {
  const server = await startTestServer(options);
  started.push(server);
  return server;
}

const isLoaded = (id: string) => (state: ServerState) =>
  state.models.some((model) => model.id === id && model.status === 'loaded');

async function say(test: TestServer, model?: string): Promise<string> {
  const response = await test.chat({ model, messages: [user('Hi.')], max_tokens: 40 });
  expect(response.status).toBe(200);
  return ((await response.json()) as { choices: { message: { content: string } }[] }).choices
    .map(({ message }) => message.content)
    .join();
}

function put(test: TestServer, body: unknown): Promise<Response> {
  return fetch(`${test.server.url}/pilotlight/current-model`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

describe('health', () => {
  it('tells whose server it is and how its model is', async () => {
    const test = await start({ models: ['scripted'] });
    await test.until(isLoaded('scripted'));
    const response = await fetch(`${test.server.url}/health`);
    expect(await response.json()).toEqual({
      status: 'ok',
      name: 'pilotlight',
      version: test.server.state.now().version,
      model: 'scripted',
      model_status: 'loaded',
    });
  });

  it('is fine without any model, and a request is told where to put one', async () => {
    const test = await start();
    const health = await (await fetch(`${test.server.url}/health`)).json();
    expect(health).toMatchObject({ status: 'ok', model: null, model_status: null });
    const response = await test.chat({ messages: [user('Hi.')] });
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('models folder');
  });
});

describe('the current model', () => {
  it('is the one that answers when none is named; switching is remembered', async () => {
    const test = await start({ models: ['random', 'scripted'] });
    await test.until(isLoaded('random'));
    const answered = await put(test, { model: 'scripted' });
    expect(serverStateSchema.parse(await answered.json()).current_model).toBe('scripted');
    expect(await say(test)).toBe(SCRIPTED_SENTENCE);
    // The one before leaves when it is idle.
    await test.until(({ models }) => models.find(({ id }) => id === 'random')?.status !== 'loaded');
    await test.stop();
    const again = await start({ dataDir: test.dataDir });
    expect(again.server.state.now().current_model).toBe('scripted');
    await again.until(isLoaded('scripted'));
  });

  it.each<[unknown, number, string | null]>([
    [{ model: 'nope' }, 404, 'model_not_found'],
    [{ model: 'truncated' }, 400, 'model_invalid'],
    [{ model: '' }, 400, null],
    [{ model: 'random', more: 1 }, 400, null],
    [{}, 400, null],
    [null, 400, null],
  ])('is not switched by %j', async (body, status, code) => {
    const test = await start({ models: ['scripted', 'truncated', 'random'] });
    const response = await put(test, body);
    expect(response.status).toBe(status);
    expect(((await response.json()) as { error: { code: string } }).error.code).toBe(code);
    expect(test.server.state.now().current_model).toBe('scripted');
  });

  it('that cannot be loaded is refused with the reason, and shown as failed', async () => {
    const test = await start({ models: ['scripted', 'unknown-arch'] });
    await expect(test.server.selectModel('unknown-arch')).rejects.toThrow('martian');
    const state = await test.until(({ models }) =>
      models.some(({ id, status }) => id === 'unknown-arch' && status === 'failed'),
    );
    expect(state.models.find(({ id }) => id === 'unknown-arch')?.reason).toContain('martian');
    expect(await say(test, 'scripted')).toBe(SCRIPTED_SENTENCE);
  });

  it('is the built-in one at first; one from last time that has turned bad is told of', async () => {
    const builtIn = await mkdtemp(path.join(os.tmpdir(), 'built-in-'));
    await writeFile(path.join(builtIn, 'guide.gguf'), makeTestModel('scripted'));
    const config = { builtInModelsDir: builtIn, model: null };
    const first = await start({ models: ['random'], config });
    expect(first.server.state.now().current_model).toBe('guide');
    await put(first, { model: 'random' });
    await first.stop();
    const file = path.join(first.modelsDir, 'random.gguf');
    await writeFile(file, (await readFile(file)).subarray(0, 100_000));
    const second = await start({ dataDir: first.dataDir, config });
    expect(second.server.state.now()).toMatchObject({
      current_model: 'guide',
      notices: [expect.stringMatching(/^random\.gguf is cut off: .* Download it again\.$/)],
    });
    expect(await say(second)).toBe(SCRIPTED_SENTENCE);
    await rm(builtIn, { recursive: true });
  });

  it('follows the files: the first to come is taken, one that goes is replaced', async () => {
    const test = await start();
    await writeFile(path.join(test.modelsDir, 'a.gguf'), makeTestModel('scripted'));
    await test.until(isLoaded('a'));
    expect(test.server.state.now().current_model).toBe('a');
    await writeFile(path.join(test.modelsDir, 'b.gguf'), makeTestModel('random'));
    await test.until(({ models }) => models.length === 2);
    expect(test.server.state.now().current_model).toBe('a');
    await rm(path.join(test.modelsDir, 'a.gguf'));
    await test.until(({ current_model }) => current_model === 'b');
    expect(await say(test)).not.toBe('');
  });
});

describe('starting', () => {
  const refusal = (config: TestServerOptions['config']) =>
    startTestServer({ models: ['scripted', 'truncated'], config: config ?? {} }).then(
      (server) => {
        started.push(server);
        throw new Error('it has started');
      },
      (error: unknown) => {
        expect(error).toBeInstanceOf(StartError);
        return (error as Error).message;
      },
    );

  it('is refused with a sentence where it cannot be what was asked for', async () => {
    expect(await refusal({ model: 'nope' })).toMatch(
      /no model or file "nope"\. There are: "scripted"/,
    );
    expect(await refusal({ model: 'truncated' })).toContain('truncated.gguf is cut off');
    expect(await refusal({ host: '0.0.0.0' })).toContain('--api-key');
  });

  it('takes a model file from anywhere', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'tést 模型 '));
    const file = path.join(folder, 'mein modell.gguf');
    await writeFile(file, makeTestModel('scripted'));
    const test = await start({ config: { model: file } });
    expect(test.server.state.now().current_model).toBe('mein modell');
    expect(await say(test)).toBe(SCRIPTED_SENTENCE);
    await rm(folder, { recursive: true });
  });

  it('beside another server takes the next port and says so in the state', async () => {
    const first = await start();
    const second = await start({ config: { port: first.port } });
    expect(second.port).not.toBe(first.port);
    expect(second.server.state.now().notices).toEqual([
      expect.stringMatching(new RegExp(`^Port ${first.port} is used by another Pilotlight`)),
    ]);
    expect((await fetch(`${second.server.url}/health`)).status).toBe(200);
  });

  it('goes on without a data folder that can be written to', async () => {
    const root = await mkdtemp(path.join(os.tmpdir(), 'no-data-'));
    const blocked = path.join(root, 'file');
    await writeFile(blocked, '');
    const test = await start({
      models: ['scripted'],
      config: { dataDir: path.join(blocked, 'data') },
    });
    await put(test, { model: 'scripted' });
    await test.until(({ notices }) => notices.some((notice) => notice.includes('cannot be saved')));
    expect(await say(test)).toBe(SCRIPTED_SENTENCE);
    await rm(root, { recursive: true });
  });

  it('keeps prompts and answers out of the log', async () => {
    const test = await start({ models: ['scripted'] });
    await test.chat({ messages: [user('my secret question')] }).then((r) => r.text());
    await test.chat({ messages: [user('my secret question')], stream: 5 }).then((r) => r.text());
    await test.stop();
    const log = await readFile(path.join(test.dataDir, 'logs', 'server.log'), 'utf8');
    expect(log).toContain('/v1/chat/completions');
    expect(log).toContain('"outputTokens":22');
    expect(log).not.toContain('secret');
    expect(log).not.toContain('Hello!');
  });
});

describe('stopping', () => {
  it('ends streams with an error event, frees the port and leaves no engine', async () => {
    const test = await start({ models: ['scripted-long'] });
    const stream = await test.chat({ messages: [user('Go.')], stream: true });
    const events = await fetch(`${test.server.url}/pilotlight/events`);
    await test.until(({ running }) => running === 1);
    const text = stream.text();
    await test.stop();
    const last = payloads(await text).at(-1) ?? '';
    expect(errorBodySchema.parse(JSON.parse(last)).error.type).toBe('server_error');
    await events.text();
    await expect(fetch(`${test.server.url}/health`)).rejects.toThrow();
    for (const { pid } of test.engines) expect(() => process.kill(pid ?? 0, 0)).toThrow('ESRCH');
    const taken = net.createServer();
    await new Promise<void>((resolve) => taken.listen(test.port, '127.0.0.1', resolve));
    await new Promise((resolve) => taken.close(resolve));
  });

  it('while a model loads does not wait for it', async () => {
    const test = await start({ models: ['slow'] });
    const waiting = test.chat({ messages: [user('Hi.')] });
    await test.until(({ waiting: count }) => count === 1);
    await test.stop();
    expect((await waiting).status).toBe(503);
  });

  it('does not wait for idle connections', async () => {
    const test = await start();
    const agent = new http.Agent({ keepAlive: true });
    const socket = await new Promise<net.Socket>((resolve, reject) => {
      http
        .get(`${test.server.url}/health`, { agent }, (response) => {
          const { socket: used } = response;
          response.resume();
          response.on('end', () => resolve(used));
        })
        .on('error', reject);
    });
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await test.stop();
    await closed;
    agent.destroy();
  });
});

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
      if (states.length === 1) await put(test, { model: 'random' });
      const last = states.at(-1);
      if (last?.current_model === 'random' && isLoaded('random')(last)) break;
    }
    controller.abort();
    expect(states[0]?.current_model).toBe('scripted');
    expect(states[0]?.models_dir).toBe(test.modelsDir);
  });
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
    const foreign = await test.raw(
      `GET /health HTTP/1.1\r\nHost: evil.example:${test.port}\r\nConnection: close\r\n\r\n`,
    );
    expect(foreign).toMatch(/^HTTP\/1\.1 403 /);
  });
});

it('echoes a sane request id and makes its own else', async () => {
  const test = await start();
  const ask = async (id: string) =>
    (await fetch(`${test.server.url}/health`, { headers: { 'x-request-id': id } })).headers.get(
      'x-request-id',
    );
  expect(await ask('my-id-1')).toBe('my-id-1');
  expect(await ask('my id')).toMatch(/^req_/);
});

it('damaged settings are kept aside and told of', async () => {
  const test = await start();
  await test.stop();
  await writeFile(path.join(test.dataDir, 'settings.json'), '{"currentModel": ');
  const again = await start({ dataDir: test.dataDir });
  expect(again.server.state.now().notices).toEqual([expect.stringContaining('were damaged')]);
  expect((await readdir(test.dataDir)).some((file) => file.startsWith('settings.damaged-'))).toBe(
    true,
  );
});

it('the port is one number, also where it was chosen freely', async () => {
  const test = await start();
  const probe = net.connect(test.port, '127.0.0.1');
  await new Promise((resolve) => probe.once('connect', resolve));
  expect((probe.address() as AddressInfo).port).toBeGreaterThan(0);
  expect(test.server.state.now().url).toBe(`http://127.0.0.1:${test.port}`);
  probe.destroy();
});
