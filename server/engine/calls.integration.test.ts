import { describe, expect, test } from 'vitest';
import type { EmbedRequest } from '../../protocol/engine-calls.js';
import { EMBED_CONTEXT, EMBED_WIDTH } from '../../scripts/test-models/embed-model.js';
import { chatPrompt, greedy } from '../generation/test-generation.js';
import type { EnginePool } from './pool.js';
import { testPools } from './test-pool.js';

const pools = testPools();
const { model } = pools;
const start = () => pools.start({ contextLength: 0, parallel: 2, gpuLayers: 0 });

const never = () => new AbortController().signal;
const texts = (...inputs: EmbedRequest['inputs']): EmbedRequest => ({ inputs, truncate: false });

/** More than a second of work for `embed`. */
const longRequest = () => texts(...new Array<string>(20_000).fill('the weather '.repeat(200)));

function dot(a: Float32Array | undefined, b: Float32Array | undefined): number {
  if (!a || !b) throw new Error('a vector is missing');
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
}

describe('embed', () => {
  test('vectors of length 1 in the order of the inputs, with their counts', async () => {
    const { pool, processes } = start();
    const embed = (...inputs: EmbedRequest['inputs']) =>
      pool.call(model('embed'), 'embed', texts(...inputs), never());
    const { vectors, promptTokens, totalTokens } = await embed(
      'climbed the stairs',
      'rain after midnight and before dawn',
      'the stairs',
    );
    expect(vectors.map((vector) => vector.length)).toEqual([EMBED_WIDTH, EMBED_WIDTH, EMBED_WIDTH]);
    expect(vectors[0]).toBeInstanceOf(Float32Array);
    for (const vector of vectors) expect(dot(vector, vector)).toBeCloseTo(1, 5);
    expect(promptTokens).toEqual([5, 8, 4]);
    expect(totalTokens).toBe(17);
    expect(dot(vectors[0], vectors[2])).toBeGreaterThan(dot(vectors[0], vectors[1]));

    const again = await Promise.all(
      ['climbed the stairs', 'the stairs'].map(async (text) => (await embed(text)).vectors[0]),
    );
    expect(dot(again[0], vectors[0])).toBeCloseTo(1, 5);
    expect(dot(again[1], vectors[2])).toBeCloseTo(1, 5);
    expect(processes).toHaveLength(1);
  });

  test('token ids are taken as they are', async () => {
    const { pool } = start();
    const { tokenIds } = await pool.call(
      model('embed'),
      'tokenize',
      { text: 'the stairs', addSpecial: true, parseSpecial: false, withPieces: false },
      never(),
    );
    const { vectors } = await pool.call(
      model('embed'),
      'embed',
      texts(tokenIds, 'the stairs'),
      never(),
    );
    expect(dot(vectors[0], vectors[1])).toBeCloseTo(1, 5);
  });

  test('an input that is empty or too long refuses the request and is named', async () => {
    const { pool } = start();
    const embed = (request: EmbedRequest) => pool.call(model('embed'), 'embed', request, never());
    await expect(embed(texts('a', ''))).rejects.toMatchObject({
      code: 'invalid_prompt',
      input: 1,
      message: 'Input 1 is empty.',
    });
    const long = 'the '.repeat(EMBED_CONTEXT);
    await expect(embed(texts('a', 'b', long))).rejects.toMatchObject({
      code: 'context_length_exceeded',
      input: 2,
      message: expect.stringContaining(`takes ${EMBED_CONTEXT} tokens at once`),
    });
    const { promptTokens } = await embed({ inputs: [long], truncate: true });
    expect(promptTokens).toEqual([EMBED_CONTEXT]);
  });

  test('an abort ends a running and a waiting request, and the next one is served', async () => {
    const { pool } = start();
    await pool.load(model('embed'));
    const clients = [new AbortController(), new AbortController()];
    const calls = clients.map(({ signal }) =>
      pool.call(model('embed'), 'embed', longRequest(), signal),
    );
    for (const client of clients) client.abort();
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'cancelled' });
    const next = await pool.call(model('embed'), 'embed', texts('a'), never());
    expect(next.vectors).toHaveLength(1);
  });

  test('an abort while the model loads leaves the model alone', async () => {
    const { pool } = start();
    const client = new AbortController();
    const call = pool.call(model('embed'), 'embed', texts('a'), client.signal);
    client.abort();
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
    await pool.load(model('embed'));
    expect(pool.status(model('embed')).status).toBe('loaded');
  });

  test('a crash rejects what is pending, and the next call loads the model again', async () => {
    const { pool, processes } = start();
    await pool.load(model('embed'));
    const calls = [longRequest(), texts('a')].map((request) =>
      pool.call(model('embed'), 'embed', request, never()),
    );
    process.kill(processes[0]?.pid ?? 0, 'SIGKILL');
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'engine_crashed' });
    const { vectors } = await pool.call(model('embed'), 'embed', texts('a'), never());
    expect(vectors).toHaveLength(1);
    expect(processes).toHaveLength(2);
  });

  test('closing ends what is pending as shutting down', async () => {
    const { pool } = start();
    await pool.load(model('embed'));
    const call = pool.call(model('embed'), 'embed', longRequest(), never());
    const rejected = expect(call).rejects.toMatchObject({ code: 'shutting_down' });
    await pool.close();
    await rejected;
  });

  test('a request that runs is answered before its model leaves', async () => {
    const { pool } = start();
    await pool.load(model('embed'));
    const call = pool.call(
      model('embed'),
      'embed',
      texts(...longRequest().inputs.slice(0, 5)),
      never(),
    );
    // Once the engine has it.
    await new Promise((resolve) => setImmediate(resolve));
    const released = pool.release(model('embed'));
    expect((await call).vectors).toHaveLength(5);
    await released;
    expect(pool.info(model('embed'))).toBeNull();
  });
});

test('a replaced file does not cut off a call that runs on the old one', async () => {
  const { pool, processes } = start();
  const old = { ...model('embed'), id: 'm' };
  await pool.load(old);
  const call = pool.call(old, 'embed', texts(...longRequest().inputs.slice(0, 5)), never());
  await new Promise((resolve) => setImmediate(resolve));
  const replaced = { ...model('embed-cls'), id: 'm', created: 1 };
  expect((await pool.call(replaced, 'embed', texts('a'), never())).vectors).toHaveLength(1);
  expect((await call).vectors).toHaveLength(5);
  expect(processes).toHaveLength(2);
});

describe('rerank', () => {
  const documents = ['rain after midnight', 'climbed the stairs', 'the stairs'];

  test('a rerank model scores each document', async () => {
    const { pool } = start();
    const rerank = (query: string, docs: string[]) =>
      pool.call(model('rerank'), 'rerank', { query, documents: docs, truncate: false }, never());
    const { scores, promptTokens, totalTokens } = await rerank('the stairs', documents);
    expect(scores).toHaveLength(3);
    expect(promptTokens).toEqual([8, 8, 7]);
    expect(totalTokens).toBe(23);
    const reversed = await rerank('the stairs', [...documents].reverse());
    reversed.scores.reverse().forEach((score, i) => {
      expect(score).toBeCloseTo(scores[i] ?? Number.NaN, 2);
    });
  });

  test('an embedding model scores by the cosine', async () => {
    const { pool } = start();
    const request = { query: 'the stairs', documents, truncate: false };
    const { scores } = await pool.call(model('embed'), 'rerank', request, never());
    expect(scores[2]).toBeCloseTo(1, 5);
    expect(scores[1]).toBeGreaterThan(scores[0] ?? 1);
  });
});

describe('a model refuses what its kind does not do', () => {
  test('embeddings and scores of one that writes', async () => {
    const { pool } = start();
    const rerank = { query: 'a', documents: ['b'], truncate: false };
    await expect(pool.call(model('random'), 'embed', texts('a'), never())).rejects.toMatchObject({
      code: 'not_embedding',
      message: expect.stringMatching(/writes text.*\./),
    });
    await expect(pool.call(model('random'), 'rerank', rerank, never())).rejects.toMatchObject({
      code: 'not_rerank',
    });
    await expect(pool.call(model('rerank'), 'embed', texts('a'), never())).rejects.toMatchObject({
      code: 'not_embedding',
    });
  });

  test.each(['embed', 'rerank'] as const)('a generation on %s', async (id) => {
    const { pool, processes } = start();
    const running = pool.generate(model(id), greedy(chatPrompt('Hello'), 1), never());
    await expect(running.accepted).rejects.toMatchObject({
      code: 'not_generative',
      message: expect.stringMatching(/does not write text.*\./),
    });
    // an abort that crosses the refusal does no harm
    const client = new AbortController();
    const aborted = pool.generate(model(id), greedy(chatPrompt('Hello'), 1), client.signal);
    client.abort();
    await aborted.accepted.catch(() => {});
    await pool.call(model(id), 'detokenize', { tokenIds: [] }, never());
    expect(processes).toHaveLength(1);
  });
});

describe('tokens and templates', () => {
  const tokenize = (pool: EnginePool, text: string, parseSpecial: boolean) =>
    pool.call(
      model('random'),
      'tokenize',
      { text, addSpecial: false, parseSpecial, withPieces: true },
      never(),
    );

  test('there and back, with the bytes of each token', async () => {
    const { pool } = start();
    const text = 'Hello, wörld 😀!\n';
    const { tokenIds, pieces } = await tokenize(pool, text, false);
    expect(Buffer.concat(pieces ?? []).toString()).toBe(text);
    expect(pieces).toHaveLength(tokenIds.length);
    const back = await pool.call(model('random'), 'detokenize', { tokenIds }, never());
    expect(back.text).toBe(text);
    expect(Buffer.from(back.bytes).toString()).toBe(text);
  });

  test('half a character is U+FFFD in the text and whole in the bytes', async () => {
    const { pool } = start();
    const { tokenIds, pieces } = await tokenize(pool, '😀', false);
    const half = tokenIds.slice(0, -1);
    const back = await pool.call(model('random'), 'detokenize', { tokenIds: half }, never());
    expect(back.text).toBe('\uFFFD');
    expect(Buffer.from(back.bytes)).toEqual(Buffer.concat(pieces?.slice(0, -1) ?? []));
  });

  test('control tokens in the text are text unless asked for', async () => {
    const { pool } = start();
    expect((await tokenize(pool, '<|im_start|>', true)).tokenIds).toHaveLength(1);
    expect((await tokenize(pool, '<|im_start|>', false)).tokenIds.length).toBeGreaterThan(1);
  });

  test('an unknown id is refused', async () => {
    const { pool } = start();
    await expect(
      pool.call(model('random'), 'detokenize', { tokenIds: [1, 10_000_000] }, never()),
    ).rejects.toMatchObject({
      code: 'invalid_prompt',
      message: expect.stringContaining('10000000'),
    });
  });

  test('the template renders, and counts as a generation does', async () => {
    const { pool } = start();
    const { text, promptTokens } = await pool.call(
      model('random'),
      'apply-template',
      chatPrompt('Good morning'),
      never(),
    );
    expect(text).toContain('<|im_start|>user\nGood morning');
    const running = pool.generate(model('random'), greedy(chatPrompt('Good morning'), 1), never());
    expect((await running.accepted).promptTokens).toBe(promptTokens);
  });

  test('a model that makes embeddings tokenizes and renders too', async () => {
    const { pool } = start();
    const { text } = await pool.call(
      model('embed'),
      'apply-template',
      chatPrompt('the stairs'),
      never(),
    );
    expect(text).toContain('the stairs');
    const { tokenIds, pieces } = await pool.call(
      model('embed'),
      'tokenize',
      { text: 'the stairs', addSpecial: true, parseSpecial: false, withPieces: false },
      never(),
    );
    expect(tokenIds).toHaveLength(4);
    expect(pieces).toBeNull();
  });
});
