// A request that the person cancels by its id ends at once, wherever it is, and its client is told so in its own words.
import type http from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { InspectorClient, WINDOW_KEY } from '../inspector/test-inspector.js';
import { failure, startTestServer, type TestServer } from '../test-server.js';
import { ask, DIALECTS, type Dialect, readAll, readUntil } from './test-dialects.js';
import { holdBack } from './test-gate.js';

const every = Object.entries(DIALECTS);
const SENTENCE = 'The request was cancelled in Pilotlight.';
const long = { model: 'scripted-long', text: 'Go.', maxTokens: 30_000 };

let test: TestServer;
let inspector: InspectorClient;

async function cancel(id: string): Promise<void> {
  const response = await inspector.cancel(id);
  expect([response.status, await response.json()]).toEqual([200, { id, cancelled: true }]);
}

/** A refusal before the first byte. */
async function expectRefused(dialect: Dialect, response: http.IncomingMessage): Promise<void> {
  // A status that no client tries again by itself.
  expect(response.statusCode).toBe(400);
  const body = JSON.parse(await readAll(response));
  expect(dialect.failure.safeParse(body).error).toBeUndefined();
  expect(JSON.stringify(body)).toContain(SENTENCE);
}

/** @param begin What has been read already. */
async function expectEnded(
  dialect: Dialect,
  response: http.IncomingMessage,
  begin = '',
): Promise<void> {
  expect(response.statusCode).toBe(200);
  const bytes = begin + (await readAll(response));
  expect(bytes).toContain(SENTENCE);
  // The stream came to its end by itself, but it is no whole answer.
  expect(response.complete).toBe(true);
  expect(() => dialect.streamed(bytes)).toThrow();
}

describe('with a loaded model', () => {
  beforeAll(async () => {
    test = await startTestServer({
      models: ['scripted-long', 'slow'],
      config: { parallel: 1, contextLength: 32_768, windowKey: WINDOW_KEY },
    });
    inspector = new InspectorClient(test);
  });
  afterAll(() => test.close());

  describe.each([true, false])('stream: %s', (stream) => {
    it.each(every)('%s: while its answer is written', async (_, dialect) => {
      const asked = ask(test, dialect, { ...long, stream });
      const begin = stream ? await readUntil(await asked, dialect.flowing) : '';
      const { id } = await inspector.live('running');
      await cancel(id);
      if (stream) await expectEnded(dialect, await asked, begin);
      else await expectRefused(dialect, await asked);
      // Whoever has the whole answer finds it ended.
      expect((await inspector.state()).live).toEqual([]);
      expect((await inspector.cancel(id)).status).toBe(404);
      await test.idle();
    });

    it.each(every)('%s: in prefill', async (name, dialect) => {
      // No other prompt begins like this one.
      const text = `${name} ${stream} ${'word '.repeat(1_500)}`;
      const asked = ask(test, dialect, { ...long, model: 'slow', text, stream });
      await cancel((await inspector.live('prefill')).id);
      if (stream) await expectEnded(dialect, await asked);
      else await expectRefused(dialect, await asked);
      await test.idle();
    });

    it.each(every)('%s: in the queue', async (_, dialect) => {
      const first = await ask(test, dialect, { ...long, stream: true });
      await inspector.live('running');
      const asked = ask(test, dialect, { ...long, stream });
      await cancel((await inspector.live('queued')).id);
      if (stream) await expectEnded(dialect, await asked);
      else await expectRefused(dialect, await asked);
      // Nobody else is.
      const { live } = await inspector.state();
      expect(live).toMatchObject([{ stage: 'running', cancelled: false }]);
      first.destroy();
      await test.idle();
    });
  });
});

describe('while the model loads', () => {
  let gate: ReturnType<typeof holdBack>;
  async function start(models: Parameters<typeof startTestServer>[0]): Promise<void> {
    gate = holdBack();
    test = await startTestServer({
      ...models,
      wrap: gate.wrap,
      config: { windowKey: WINDOW_KEY },
    });
    inspector = new InspectorClient(test);
  }
  afterEach(async () => {
    gate.release();
    await test.until(({ models }) => models.every(({ status }) => status !== 'loading'));
    await test.close();
  });

  it.each(every)('%s, collected', async (_, dialect) => {
    await start({ models: ['scripted-long'] });
    const asked = ask(test, dialect, { ...long, stream: false });
    await cancel((await inspector.live('loading')).id);
    await expectRefused(dialect, await asked);
    await test.idle();
  });

  it.each(every)('%s, streamed, before its client was told anything', async (_, dialect) => {
    await start({ models: ['scripted-long'] });
    const asked = ask(test, dialect, { ...long, stream: true });
    await cancel((await inspector.live('loading')).id);
    await expectRefused(dialect, await asked);
  });

  it.each(every)('%s, streamed, after its client was told to wait', async (_, dialect) => {
    await start({ models: ['scripted-long'] });
    const response = await ask(test, dialect, { ...long, stream: true });
    await cancel((await inspector.live('loading')).id);
    await expectEnded(dialect, response);
  });

  it.each<[string, object]>([
    ['/v1/embeddings', { input: 'Hi.' }],
    ['/v1/rerank', { query: 'a', documents: ['b'] }],
    ['/tokenize', { content: 'Hi.' }],
    ['/detokenize', { tokens: [40] }],
    ['/apply-template', { messages: [{ role: 'user', content: 'Hi.' }] }],
    ['/v1/responses/input_tokens', { input: 'Hi.' }],
  ])('%s', async (route, body) => {
    await start({ models: ['scripted', 'embed', 'rerank'] });
    const asked = test.post(route, body);
    await cancel((await inspector.live('loading')).id);
    const told = await failure(await asked);
    expect(told).toMatchObject({ status: 400, code: 'request_cancelled', message: SENTENCE });
  });

  it.each<[string, object]>([
    ['/api/embed', { model: 'embed', input: 'Hi.' }],
    ['/api/embeddings', { model: 'embed', prompt: 'Hi.' }],
    ['/api/generate', { model: 'scripted' }],
  ])('%s %j', async (route, body) => {
    await start({ models: ['scripted', 'embed'] });
    const asked = test.post(route, body);
    await cancel((await inspector.live('loading')).id);
    const response = await asked;
    expect([response.status, await response.json()]).toEqual([400, { error: SENTENCE }]);
  });
});

it('a call that is computed', async () => {
  let isHeld = false;
  test = await startTestServer({
    models: ['embed'],
    config: { windowKey: WINDOW_KEY, model: null },
    // The model is loaded and takes no call, as if it had much to compute.
    wrap: (engine) => ({
      ...engine,
      send: (message) => {
        if (message.type !== 'call' || !isHeld) engine.send(message);
      },
    }),
  });
  inspector = new InspectorClient(test);
  expect((await test.post('/v1/embeddings', { input: 'Hi.' })).status).toBe(200);
  isHeld = true;
  const asked = test.post('/v1/embeddings', { input: 'Hi.' });
  await cancel((await inspector.live('running')).id);
  expect(await failure(await asked)).toMatchObject({ status: 400, code: 'request_cancelled' });
  await test.close();
});
