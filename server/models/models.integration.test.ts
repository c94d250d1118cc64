// Models as they are loaded, unloaded and told of over HTTP: a real server, real engines.
import { describe, expect, it } from 'vitest';
import { fitSchema } from '../../protocol/fit.js';
import {
  type LoadEvent,
  loadEventSchema,
  type ModelEvent,
  modelEventSchema,
} from '../../protocol/model-control.js';
import { type ModelEntry, modelEntrySchema } from '../../protocol/models.js';
import { holdBack } from '../dialects/test-gate.js';
import { Settings } from '../store/settings.js';
import {
  failure,
  isLoaded,
  payloads,
  say,
  type TestServer,
  testServers,
  user,
} from '../test-server.js';

const start = testServers();

const two = () => start({ models: ['random', 'scripted'] });

async function entryOf(response: Response): Promise<ModelEntry> {
  expect(response.status).toBe(200);
  return modelEntrySchema.parse(await response.json());
}

const load = (test: TestServer, id: string, body: object = {}) =>
  test.post(`/v1/models/${id}/load`, body);
const unload = (test: TestServer, id: string) => test.post(`/v1/models/${id}/unload`, {});
const isGone = (id: string) => (state: { models: ModelEntry[] }) =>
  state.models.some((model) => model.id === id && model.status === 'unloaded');

describe('loading', () => {
  it('answers when the model is loaded, and unloading when it has left', async () => {
    const test = await two();
    // Without a body, as curl sends it.
    const response = await fetch(`${test.server.url}/v1/models/scripted/load`, { method: 'POST' });
    expect(await entryOf(response)).toMatchObject({ id: 'scripted', status: 'loaded' });
    expect(test.server.state.now().current_model).toBe('random');
    expect(await entryOf(await unload(test, 'scripted'))).toMatchObject({
      ...{ status: 'unloaded', memory_bytes: null },
    });
    expect(await entryOf(await unload(test, 'scripted'))).toMatchObject({ status: 'unloaded' });
  });

  it('with settings, a pin and a time holds until the model is unloaded', async () => {
    const test = await two();
    const settings = { context_length: 512, parallel: 2 };
    const entry = await entryOf(await load(test, 'scripted', { settings, pin: true, ttl: null }));
    expect(entry).toMatchObject({ context_length: 512, pinned: true, reload_pending: false });
    // It is loaded otherwise already, and so anew.
    const other = await load(test, 'scripted', { settings: { context_length: 1024 } });
    expect(await entryOf(other)).toMatchObject({ context_length: 1024, pinned: true });
    await unload(test, 'scripted');
    const after = await entryOf(await load(test, 'scripted'));
    expect(after).toMatchObject({ context_length: 2048, pinned: false });
  });

  it('tells how far it is to who accepts events', async () => {
    const gate = holdBack();
    const test = await start({ models: ['scripted'], wrap: gate.wrap });
    const response = await fetch(`${test.server.url}/v1/models/scripted/load`, {
      ...{ method: 'POST', headers: { accept: 'text/event-stream' } },
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    gate.release();
    const events = payloads(await response.text()).map(
      (text): LoadEvent => loadEventSchema.parse(JSON.parse(text)),
    );
    expect(events[0]).toMatchObject({ type: 'load-progress', id: 'scripted' });
    expect(events.at(-1)).toMatchObject({ type: 'loaded', model: { status: 'loaded' } });
  });

  it('that is not waited for is told by the entry', async () => {
    const test = await two();
    const entry = await entryOf(await load(test, 'scripted', { wait: false }));
    expect(entry.status).toMatch(/^load/);
    await test.until(isLoaded('scripted'));
  });

  it('that fails says why, as a status or in the stream', async () => {
    const test = await start({ models: ['scripted', 'unknown-arch', 'truncated'] });
    expect(await failure(await load(test, 'unknown-arch'))).toMatchObject({
      ...{ status: 400, code: 'model_invalid' },
      message: expect.stringContaining('martian'),
    });
    const response = await fetch(`${test.server.url}/v1/models/unknown-arch/load`, {
      ...{ method: 'POST', headers: { accept: 'text/event-stream' } },
    });
    expect(payloads(await response.text()).at(-1)).toContain('martian');
    expect(await failure(await load(test, 'truncated'))).toMatchObject({ code: 'model_invalid' });
    expect(await failure(await load(test, 'nobody'))).toMatchObject({ status: 404 });
    expect(await failure(await unload(test, 'nobody'))).toMatchObject({ status: 404 });
  });

  it.each<[object, string]>([
    [{ ttl: -1 }, 'ttl'],
    [{ pin: 1 }, 'pin'],
    [{ settings: { temperature: 1 } }, 'settings.temperature'],
    [{ settings: { context_length: 0 } }, 'settings.context_length'],
    [{ foo: 1 }, 'foo'],
  ])('refuses %j by name', async (body, param) => {
    const test = await start({ models: ['scripted'] });
    expect(await failure(await load(test, 'scripted', body))).toMatchObject({
      ...{ status: 400, param },
    });
  });
});

describe('unloading', () => {
  it('waits for running answers, and cuts none of them', async () => {
    const test = await two();
    await test.until(isLoaded('random'));
    const response = await test.chat({
      ...{ model: 'random', messages: [user('Hi.')], stream: true, max_tokens: 500 },
    });
    const [unloaded, text] = await Promise.all([unload(test, 'random'), response.text()]);
    expect(await entryOf(unloaded)).toMatchObject({ status: 'unloaded' });
    expect(payloads(text).at(-1)).toBe('[DONE]');
    expect(text).toContain('"finish_reason":"length"');
    expect(await say(test, 'random')).not.toBe('');
  });
});

describe('ttl', () => {
  it.each<[string, object]>([
    ['/v1/chat/completions', { model: 'scripted', messages: [user('Hi.')] }],
    ['/v1/completions', { model: 'scripted', prompt: 'Hi.' }],
    ['/v1/responses', { model: 'scripted', input: 'Hi.' }],
    ['/v1/messages', { model: 'scripted', messages: [user('Hi.')], max_tokens: 3 }],
    ['/v1/generate', { model: 'scripted', prompt: 'Hi.' }],
    ['/v1/embeddings', { model: 'embed', input: 'Hi.' }],
    ['/v1/rerank', { model: 'embed', query: 'a', documents: ['b'] }],
  ])('%s: the model leaves as long after it as the request says', async (route, body) => {
    const test = await start({ models: ['random', 'scripted', 'embed'] });
    const { model } = body as { model: string };
    const answer = await test.post(route, { ...body, ttl: 0 });
    expect([answer.status, answer.headers.get('x-pilotlight-ignored')]).toEqual([200, null]);
    await test.until(isGone(model));
    expect((await test.post(route, { ...body, ttl: -1 })).status).toBe(400);
    expect((await test.post(route, { ...body, ttl: 60 })).status).toBe(200);
    expect(isLoaded(model)(test.server.state.now())).toBe(true);
  });
});

describe('the events of models', () => {
  it('begin with a snapshot and tell what changes', async () => {
    const test = await two();
    await test.until(isLoaded('random'));
    const controller = new AbortController();
    const response = await fetch(`${test.server.url}/pilotlight/models/events`, {
      signal: controller.signal,
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const events = () =>
      payloads(text.slice(0, text.lastIndexOf('\n\n') + 2)).map(
        (each): ModelEvent => modelEventSchema.parse(JSON.parse(each)),
      );
    const until = async (predicate: (event: ModelEvent) => boolean) => {
      while (!events().some(predicate)) text += (await reader?.read())?.value ?? '';
    };
    await until(({ type }) => type === 'snapshot');
    await load(test, 'scripted');
    await until((event) => event.type === 'loaded' && event.model.id === 'scripted');
    await unload(test, 'scripted');
    await until((event) => event.type === 'unloaded' && event.model.id === 'scripted');
    expect(events().map(({ type }) => type)).not.toContain('model-added');
    controller.abort();
  });
});

describe('an estimate', () => {
  it('is what the model then takes, with settings that are not set', async () => {
    const test = await start({ models: ['slow'] });
    const estimate = async (settings: object) => {
      const response = await test.post('/pilotlight/models/slow/estimate', { settings });
      expect(response.status).toBe(200);
      return fitSchema.parse(await response.json());
    };
    const small = await estimate({ context_length: 1024, parallel: 1 });
    const large = await estimate({ context_length: 4096, parallel: 4 });
    expect(small).toMatchObject({ verdict: 'fits', context_length: 1024, parallel: 1 });
    expect(large.kv_bytes).toBe(small.kv_bytes * 16);
    const settings = { context_length: 4096, parallel: 4 };
    expect((await entryOf(await load(test, 'slow', { settings }))).memory_bytes).toBe(
      large.total_bytes,
    );
    expect(await estimate(settings)).toMatchObject({ total_bytes: large.total_bytes });
  });

  it('of settings alone takes nothing from those that are set', async () => {
    const test = await start({ models: ['slow'] });
    await fetch(`${test.server.url}/pilotlight/models/slow/settings`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ context_length: 512, parallel: 2 }),
    });
    const estimate = async (body: object) =>
      fitSchema.parse(await (await test.post('/pilotlight/models/slow/estimate', body)).json());
    expect(await estimate({})).toMatchObject({ context_length: 512, parallel: 2 });
    const alone = await estimate({ settings: { parallel: 1 }, alone: true });
    expect(alone.parallel).toBe(1);
    expect(alone.context_length).toBeGreaterThan(512);
  });

  it('is for this machine only', async () => {
    const test = await start({ models: ['scripted'] });
    const body = '{}';
    const text = await test.raw(
      [
        ...['POST /pilotlight/models/scripted/estimate HTTP/1.1', `Host: localhost:${test.port}`],
        ...['X-Forwarded-For: 10.0.0.9', 'Content-Type: application/json'],
        ...[`Content-Length: ${body.length}`, 'Connection: close', '', body],
      ].join('\r\n'),
    );
    expect(text).toMatch(/^HTTP\/1\.1 403 /);
  });
});

describe('a pinned model', () => {
  it('is loaded at start', async () => {
    const test = await two();
    await test.stop();
    const settings = await Settings.open(test.dataDir);
    await settings.setModelSettings('scripted', { pinned: true });
    const again = await start({ dataDir: test.dataDir });
    await again.until(isLoaded('scripted'));
    const { models } = again.server.state.now();
    expect(models.find(({ id }) => id === 'scripted')).toMatchObject({ pinned: true });
    expect(models.find(({ id }) => id === 'random')?.last_used_at).toBeGreaterThan(0);
  });
});
