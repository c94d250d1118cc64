// Starting and stopping, and what both leave behind.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorBodySchema } from '../protocol/openai.js';
import { makeTestModel } from '../scripts/test-models/catalogue.js';
import { SCRIPTED_SENTENCE } from '../scripts/test-models/scripts.js';
import { StartError } from './start-options.js';
import {
  isLoaded,
  payloads,
  putCurrentModel,
  say,
  type TestServerOptions,
  testServers,
  user,
} from './test-server.js';

const start = testServers();

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
      devices: ['CPU'],
      backends: [],
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

describe('starting', () => {
  const refusal = (config: TestServerOptions['config']) =>
    start({ models: ['scripted', 'truncated'], config: config ?? {} }).then(
      () => {
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
    await putCurrentModel(test, { model: 'scripted' });
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
    expect(errorBodySchema.parse(JSON.parse(last)).error).toMatchObject({
      code: 'shutting_down',
      message: 'The server is stopping.',
    });
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

describe('a request line in absolute form', () => {
  it('reaches every route', async () => {
    const test = await start({ models: ['scripted'] });
    const host = `127.0.0.1:${test.port}`;
    const answer = await test.raw(
      `GET http://${host}/v1/models HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1.1 200/);
    expect(answer).toContain('"id":"scripted"');
  });
});
