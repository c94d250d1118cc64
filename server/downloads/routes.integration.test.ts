// From the hub to an answer: real sockets, real files, real engine processes.
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Ollama } from 'ollama';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  downloadListSchema,
  downloadSchema,
  removedModelSchema,
} from '../../protocol/downloads.js';
import { ollamaProgressSchema } from '../../protocol/ollama.js';
import { SCRIPTED_SENTENCE } from '../../scripts/test-models/scripts.js';
import { ensureTestModels } from '../../scripts/test-models/test-models.js';
import { testHubs } from '../hub/test-client.js';
import type { TestHub } from '../hub/test-hub.js';
import { failure, isLoaded, startTestServer, type TestServer, user } from '../test-server.js';

const REPO = 'ada/tiny';
const FILE = 'tiny-Q4_K_M.gguf';
const ID = 'tiny-Q4_K_M';

const hubs = testHubs();
let models: Awaited<ReturnType<typeof ensureTestModels>>;
let hub: TestHub;
let test: TestServer;
let bytes: Buffer;

beforeAll(async () => {
  models = await ensureTestModels(
    path.resolve(import.meta.dirname, '..', '..', 'out', 'test-models'),
  );
  bytes = await readFile(models.scripted);
});
beforeEach(async () => {
  hub = await hubs.hub();
  hub.addRepo(REPO, { files: { [FILE]: bytes } });
  test = await startTestServer({ settings: { hub_endpoint: hub.endpoint } });
});
afterEach(() => test.close());

const send = (method: string, route: string, body?: object) =>
  fetch(test.server.url + route, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });

const begin = async (body: object = { repo: REPO }) =>
  downloadSchema.parse(await (await send('POST', '/pilotlight/downloads', body)).json());

const list = async () =>
  downloadListSchema.parse(await (await send('GET', '/pilotlight/downloads')).json()).downloads;

const fileOf = () => path.join(test.modelsDir, 'ada', 'tiny', FILE);

/** Begins it, and waits until it hangs in its middle. */
async function stalled(): Promise<string> {
  hub.misbehave({ kind: 'stall', at: 10_000 });
  const { id } = await begin();
  await test.until(({ downloads }) => downloads.some((each) => each.received_bytes === 10_000));
  return id;
}

describe('a download', () => {
  it('becomes a model that answers, and is deleted again', async () => {
    const begun = await begin();
    expect(begun).toMatchObject({ repo: REPO, name: ID, total_bytes: bytes.length });
    const state = await test.until(({ downloads }) => downloads[0]?.status === 'done');
    expect(state.downloads).toMatchObject([{ id: begun.id, model_id: ID }]);
    expect(state.models).toMatchObject([{ id: ID, source: 'models_dir' }]);
    expect(await readFile(fileOf())).toEqual(bytes);
    const answer = await test.answer({ model: ID, messages: [user('Hi.')], max_tokens: 40 });
    expect(answer.choices[0]?.message.content).toBe(SCRIPTED_SENTENCE);

    const removed = await send('DELETE', `/pilotlight/models/${ID}`);
    expect(removedModelSchema.parse(await removed.json())).toEqual({
      ...{ id: ID, files: [fileOf()], freed_bytes: bytes.length },
    });
    expect((await test.until((now) => now.models.length === 0)).models).toEqual([]);
    expect(await readdir(test.modelsDir)).toEqual([]);
    expect((await test.chat({ model: ID, messages: [user('Hi.')] })).status).toBe(404);
  });

  it('is paused, goes on, and is cancelled', async () => {
    const id = await stalled();
    const paused = await send('POST', `/pilotlight/downloads/${id}/pause`);
    expect(await paused.json()).toMatchObject({ status: 'paused', received_bytes: 10_000 });
    expect(await list()).toMatchObject([{ id, status: 'paused' }]);
    expect((await send('POST', `/pilotlight/downloads/${id}/resume`)).status).toBe(200);
    await test.until(({ downloads }) => downloads[0]?.status === 'done');
    expect(await readFile(fileOf())).toEqual(bytes);
    await send('DELETE', `/pilotlight/models/${ID}`);

    const again = await stalled();
    expect(again).toBe(id);
    const cancelled = await send('DELETE', `/pilotlight/downloads/${id}`);
    expect(await cancelled.json()).toEqual({ id, cancelled: true });
    expect(await list()).toEqual([]);
    expect(await readdir(test.modelsDir)).toEqual([]);
  });

  it('outlasts the server', async () => {
    await stalled();
    await test.stop();
    test = await startTestServer({ dataDir: test.dataDir });
    const state = await test.until(({ downloads }) => downloads[0]?.status === 'done');
    expect(state.downloads[0]?.model_id).toBe(ID);
    expect(await readFile(fileOf())).toEqual(bytes);
    const ranges = hub.requests.filter(({ place }) => place === 'bytes');
    expect(ranges.at(-1)?.headers.range).toBe('bytes=10000-');
  });

  it('is refused in words', async () => {
    const refused = async (body: object) =>
      failure(await send('POST', '/pilotlight/downloads', body));
    expect(await refused({ repo: 'ada' })).toMatchObject({ status: 400, param: 'repo' });
    expect(await refused({ repo: 'ada/..' })).toMatchObject({ status: 400 });
    expect(await refused({ repo: 'ada/none' })).toMatchObject({ status: 404 });
    expect(await refused({ repo: REPO, quantization: 'Q9' })).toMatchObject({
      ...{ status: 404, message: `${REPO} has no "Q9". There are: Q4_K_M.` },
    });
    for (const [method, route] of [
      ['POST', 'dl_1/pause'],
      ['POST', 'dl_1/resume'],
      ['DELETE', 'dl_1'],
    ] as const) {
      const told = await failure(await send(method, `/pilotlight/downloads/${route}`));
      expect(told).toMatchObject({ status: 404, message: 'There is no download "dl_1".' });
    }
    expect(await readdir(test.modelsDir)).toEqual([]);
  });
});

it('nobody from elsewhere may fetch or delete anything', async () => {
  // As a proxy on this machine asks for somebody else.
  const headers = { 'x-forwarded-for': '10.0.0.9', 'content-type': 'application/json' };
  for (const [method, route, body] of [
    ['GET', '/pilotlight/downloads', null],
    ['POST', '/pilotlight/downloads', { repo: REPO }],
    ['POST', '/pilotlight/downloads/x/pause', null],
    ['DELETE', '/pilotlight/downloads/x', null],
    ['DELETE', `/pilotlight/models/${ID}`, null],
    ['POST', '/api/pull', { model: `hf.co/${REPO}` }],
    ['DELETE', '/api/delete', { model: ID }],
  ] as const) {
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const { status } = await fetch(test.server.url + route, init);
    expect([method, route, status]).toEqual([method, route, 403]);
  }
  expect(hub.requests).toEqual([]);
});

describe('deleting a model', () => {
  it('waits for nobody, and cuts no answer off', async () => {
    await mkdir(path.dirname(fileOf()), { recursive: true });
    await writeFile(fileOf(), await readFile(models['scripted-long']));
    await test.until(({ models: all }) =>
      all.some(({ id, status }) => id === ID && status !== 'invalid'),
    );
    const stop = new AbortController();
    const stream = await test.client.chat.completions.create(
      { model: ID, messages: [user('Go.')], stream: true },
      { signal: stop.signal },
    );
    await stream[Symbol.asyncIterator]().next();
    const refused = await failure(await send('DELETE', `/pilotlight/models/${ID}`));
    expect(refused).toMatchObject({ status: 409, code: 'model_in_use' });
    expect(existsSync(fileOf())).toBe(true);
    stop.abort();
    await test.idle();
    expect((await send('DELETE', `/pilotlight/models/${ID}`)).status).toBe(200);
    expect(existsSync(fileOf())).toBe(false);
  });

  it('of which there is none is told', async () => {
    expect(await failure(await send('DELETE', '/pilotlight/models/a/b'))).toMatchObject({
      ...{ status: 404, code: 'model_not_found' },
    });
  });
});

describe("Ollama's client", () => {
  it('pulls a model with its progress, uses it by the same name, and deletes it', async () => {
    const client = new Ollama({ host: test.server.url });
    const name = `hf.co/${REPO}:Q4_K_M`;
    const told = [];
    for await (const each of await client.pull({ model: name, stream: true })) {
      told.push(ollamaProgressSchema.parse(each));
    }
    expect(told[0]).toEqual({ status: 'pulling manifest' });
    expect(told.slice(-3).map(({ status }) => status)).toEqual([
      'verifying sha256 digest',
      'writing manifest',
      'success',
    ]);
    expect(told).toContainEqual({
      status: expect.stringMatching(/^pulling [0-9a-f]{12}$/),
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      ...{ total: bytes.length, completed: bytes.length },
    });
    const { message } = await client.chat({ model: name, messages: [user('Hi.')] });
    expect(message.content).toBe(SCRIPTED_SENTENCE);
    // What is there is looked at, and not fetched again.
    hub.requests.length = 0;
    expect(await client.pull({ model: `${REPO}:Q4_K_M` })).toEqual({ status: 'success' });
    expect(hub.requests.filter(({ place }) => place !== 'api')).toEqual([]);
    await test.until(isLoaded(ID));
    await test.idle();
    await client.delete({ model: name });
    expect(await readdir(test.modelsDir)).toEqual([]);
  });

  it('that goes away pauses what it began, and its next pull goes on', async () => {
    const client = new Ollama({ host: test.server.url });
    hub.misbehave({ kind: 'stall', at: 10_000 });
    const lines = await client.pull({ model: `hf.co/${REPO}`, stream: true });
    const reading = (async () => {
      for await (const { completed } of lines) if (completed === 10_000) lines.abort();
    })();
    await expect(reading).rejects.toThrow();
    await test.until(({ downloads }) => downloads[0]?.status === 'paused');
    expect(await client.pull({ model: `hf.co/${REPO}` })).toEqual({ status: 'success' });
    expect(await readFile(fileOf())).toEqual(bytes);
    const ranges = hub.requests.filter(({ place }) => place === 'bytes');
    expect(ranges.at(-1)?.headers.range).toBe('bytes=10000-');
  });

  it('hears of failures in words', async () => {
    const client = new Ollama({ host: test.server.url });
    await expect(client.pull({ model: 'hf.co/ada/none' })).rejects.toMatchObject({
      ...{ status_code: 404, message: expect.stringContaining('There is no model ada/none') },
    });
    hub.misbehave({ kind: 'status', status: 403 }, { place: 'resolve', times: 2 });
    const failed = async (stream: boolean) => {
      if (!stream) return client.pull({ model: `hf.co/${REPO}` });
      for await (const _ of await client.pull({ model: `hf.co/${REPO}`, stream: true }));
    };
    await expect(failed(true)).rejects.toThrow('does not allow that.');
    await expect(failed(false)).rejects.toThrow('does not allow that.');
    await expect(client.delete({ model: 'nobody' })).rejects.toMatchObject({ status_code: 404 });
  });
});
