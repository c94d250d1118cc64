// A real server, engine and socket; the official client where it has the route.
import { describe, expect, it } from 'vitest';
import { failure, putCurrentModel, type TestServer, testServers, user } from '../test-server.js';

const start = testServers();
const post = ({ server }: TestServer, path: string, body: object) =>
  fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const answer = async (test: TestServer, path: string, body: object) => {
  const response = await post(test, path, body);
  expect(response.status).toBe(200);
  return JSON.parse(await response.text());
};
const length = (vector: number[]) => Math.hypot(...vector);

describe('embeddings', () => {
  it('B47: are the same as numbers and as base64, for one input and several', async () => {
    const { client } = await start({ models: ['scripted', 'embed'] });
    const input = ['one text', 'another text'];
    const numbers = await client.embeddings.create({
      model: 'embed',
      input,
      encoding_format: 'float',
    });
    // The client asks for base64 by itself, and decodes it.
    const decoded = await client.embeddings.create({ model: 'embed', input });
    expect(numbers.data.map(({ index }) => index)).toEqual([0, 1]);
    numbers.data.forEach(({ embedding }, i) => {
      expect(length(embedding)).toBeCloseTo(1, 4);
      decoded.data[i]?.embedding.forEach((value, j) => {
        expect(value).toBeCloseTo(embedding[j] ?? Number.NaN, 6);
      });
    });
    expect(numbers.usage.prompt_tokens).toBeGreaterThan(0);
    const alone = await client.embeddings.create({ model: 'embed', input: 'one text' });
    alone.data[0]?.embedding.forEach((value, j) => {
      expect(value).toBeCloseTo(numbers.data[0]?.embedding[j] ?? Number.NaN, 3);
    });
  });

  it('may be shorter, of length 1 again', async () => {
    const { client } = await start({ models: ['scripted', 'embed'] });
    const { data } = await client.embeddings.create({ model: 'embed', input: 'x', dimensions: 8 });
    expect(data[0]?.embedding).toHaveLength(8);
    expect(length(data[0]?.embedding ?? [])).toBeCloseTo(1, 4);
  });

  it('are refused by name: empty, too long, of too many numbers, of a model that writes', async () => {
    const test = await start({ models: ['random', 'embed'] });
    const refused = async (body: object) => failure(await post(test, '/v1/embeddings', body));
    expect(await refused({ input: '' })).toMatchObject({ status: 400, param: 'input' });
    expect(await refused({ input: [] })).toMatchObject({ status: 400, param: 'input' });
    expect(await refused({ input: 5 })).toMatchObject({ status: 400, param: 'input' });
    const long = 'word '.repeat(20_000);
    expect(await refused({ input: ['short', long] })).toMatchObject({
      status: 400,
      param: 'input[1]',
      code: 'context_length_exceeded',
    });
    expect(await refused({ input: 'x', dimensions: 100_000 })).toMatchObject({
      status: 400,
      param: 'dimensions',
    });
    expect(await refused({ model: 'random', input: 'x' })).toMatchObject({
      status: 400,
      code: 'not_embedding',
    });
  });
});

describe('a model for embeddings', () => {
  it('is listed as such, answers where none is named, and is never the current one', async () => {
    const test = await start({ models: ['random', 'embed'] });
    const kinds: Record<string, unknown> = {};
    for await (const model of test.client.models.list()) {
      kinds[model.id] = (model as { kind?: unknown }).kind;
    }
    expect(kinds).toEqual({ random: 'generative', embed: 'embedding' });
    expect((await answer(test, '/v1/embeddings', { input: 'x' })).model).toBe('embed');
    const told = await failure(await putCurrentModel(test, { model: 'embed' }));
    expect(told).toMatchObject({ status: 400, code: 'not_generative' });
    expect(test.server.state.now().current_model).toBe('random');
    const chat = await failure(await test.chat({ model: 'embed', messages: [user('Hi.')] }));
    expect(chat).toMatchObject({ status: 400, code: 'not_generative' });
  });
});

describe('rerank', () => {
  it('puts the closest first, and says which it is', async () => {
    const test = await start({ models: ['scripted', 'embed'] });
    const documents = ['something else', 'the query itself', { text: 'the query' }];
    for (const path of ['/v1/rerank', '/v2/rerank']) {
      const { results, usage } = await answer(test, path, {
        query: 'the query itself',
        documents,
        top_n: 2,
        return_documents: true,
      });
      expect(results).toHaveLength(2);
      expect(results[0]).toMatchObject({ index: 1, document: { text: 'the query itself' } });
      expect(results[0].relevance_score).toBeGreaterThanOrEqual(results[1].relevance_score);
      expect(usage.total_tokens).toBeGreaterThan(0);
    }
  });

  it('refuses what it cannot rank', async () => {
    const test = await start({ models: ['random'] });
    const refused = async (body: object) => failure(await post(test, '/v1/rerank', body));
    expect(await refused({ query: 'x', documents: [] })).toMatchObject({ param: 'documents' });
    expect(await refused({ documents: ['x'] })).toMatchObject({ param: 'query' });
    expect(await refused({ query: 'x', documents: ['x'] })).toMatchObject({ code: 'not_rerank' });
  });
});

describe('tokens', () => {
  it('of a text are the text again', async () => {
    const test = await start({ models: ['random'] });
    const content = 'Grüße, 世界!';
    const { tokens, count } = await answer(test, '/tokenize', { content });
    expect(tokens).toHaveLength(count);
    expect((await answer(test, '/v1/detokenize', { tokens })).content).toBe(content);
    const pieces = await answer(test, '/v1/tokenize', { prompt: content, with_pieces: true });
    const bytes = pieces.tokens.flatMap(({ piece }: { piece: string | number[] }) =>
      typeof piece === 'string' ? [...Buffer.from(piece)] : piece,
    );
    expect(Buffer.from(bytes).toString()).toBe(content);
  });

  it('of a chat are what a completion of it counts', async () => {
    const test = await start({ models: ['scripted'] });
    const chat = { messages: [user('Hi.')] };
    const { prompt, count } = await answer(test, '/apply-template', chat);
    expect(prompt).toContain('Hi.');
    expect((await test.answer({ ...chat, max_tokens: 1 })).usage.prompt_tokens).toBe(count);
  });

  it('need a text, or ids of this model', async () => {
    const test = await start({ models: ['random'] });
    expect(await failure(await post(test, '/tokenize', {}))).toMatchObject({ param: 'content' });
    expect(await failure(await post(test, '/detokenize', { tokens: ['a'] }))).toMatchObject({
      status: 400,
    });
    const foreign = await failure(await post(test, '/detokenize', { tokens: [999_999_999] }));
    expect(foreign).toMatchObject({ status: 400, param: 'tokens' });
  });

  it('are behind the key, like everything', async () => {
    const test = await start({ models: ['random'], config: { apiKeys: ['secret'] } });
    for (const path of ['/tokenize', '/detokenize', '/apply-template', '/v2/rerank']) {
      expect((await post(test, path, {})).status).toBe(401);
    }
  });
});
