// What is kept of responses, over a real server and the official client, also after another start of it.
import { readdirSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { inputItemListSchema } from '../../protocol/response-object.js';
import { failure, startTestServer, type TestServer, testServers } from '../test-server.js';
import { ASK_WEATHER, eventsOf, listOf } from './test-responses.js';

let test: TestServer;
beforeAll(async () => {
  test = await startTestServer({ models: ['scripted', 'toolcall', 'thinking', 'scripted-long'] });
});
afterAll(() => test.close());
const start = testServers();

const ask = (input: string, rest: object = {}) =>
  test.client.responses.create({ model: 'scripted', input, ...rest });

function call(method: string, route: string, body?: unknown, server = test): Promise<Response> {
  return fetch(`${server.server.url}/v1/responses${route}`, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
}

describe('a response', () => {
  it('can be read as it was answered, streamed or not', async () => {
    const whole = await ask('Hi.', { metadata: { topic: 'greeting' } });
    expect(await test.client.responses.retrieve(whole.id)).toEqual(whole);
    const stream = test.client.responses.stream({ model: 'scripted', input: 'Hi.' });
    const { id, output_text: text } = await stream.finalResponse();
    expect(await test.client.responses.retrieve(id)).toMatchObject({ output_text: text });
  });

  it('is gone after it was deleted', async () => {
    const { id } = await ask('Hi.');
    const answer = await call('DELETE', `/${id}`);
    expect(await answer.json()).toEqual({ id, object: 'response', deleted: true });
    for (const method of ['GET', 'DELETE']) {
      expect(await failure(await call(method, `/${id}`))).toMatchObject({
        status: 404,
        code: 'response_not_found',
      });
    }
    expect((await call('GET', `/${id}/input_items`)).status).toBe(404);
  });

  it('is not kept with store: false', async () => {
    const { id, store } = (await ask('Hi.', { store: false })) as { id: string; store?: boolean };
    expect(store).toBe(false);
    expect((await call('GET', `/${id}`)).status).toBe(404);
    expect(
      await failure(
        await call('POST', '', { model: 'scripted', input: 'Go on.', previous_response_id: id }),
      ),
    ).toMatchObject({
      ...{ status: 400, param: 'previous_response_id', code: 'previous_response_not_found' },
    });
  });

  it('is there after another start, and gone on with', async () => {
    const first = await start({ models: ['scripted'] });
    const { id, usage } = await first.client.responses.create({ model: 'scripted', input: 'Hi.' });
    await first.stop();
    const second = await start({ models: ['scripted'], dataDir: first.dataDir });
    expect((await second.client.responses.retrieve(id)).usage).toEqual(usage);
    const next = await second.client.responses.create({
      ...{ model: 'scripted', input: 'And now?', previous_response_id: id },
    });
    expect(next.usage?.input_tokens).toBeGreaterThan(usage?.total_tokens ?? Infinity);
  });
});

describe('previous_response_id', () => {
  it('reads the whole conversation, but not its instructions', async () => {
    const first = await ask('One.', { instructions: 'Be brief, and then briefer still.' });
    const second = await ask('Two.', { previous_response_id: first.id });
    const third = await ask('Three.', { previous_response_id: second.id });
    const said = (text: string) => ({ role: 'user' as const, content: text });
    const spelt = await test.client.responses.create({
      model: 'scripted',
      input: [
        said('One.'),
        { role: 'assistant', content: first.output_text },
        said('Two.'),
        { role: 'assistant', content: second.output_text },
        said('Three.'),
      ],
    });
    expect(third.usage?.input_tokens).toBe(spelt.usage?.input_tokens);
  });

  it('goes on with an answer that was cut off', async () => {
    const cut = await ask('Hi.', { max_output_tokens: 4 });
    const rest = await test.client.responses.create({
      ...{ model: 'scripted', previous_response_id: cut.id, max_output_tokens: 4 },
    });
    expect(rest.output_text).not.toBe('');
    expect(rest.usage?.input_tokens).toBe((cut.usage?.input_tokens ?? 0) + 4);
  });

  it('is the place for item references too', async () => {
    const first = await ask('Hi.');
    const [item] = first.output;
    const next = await test.client.responses.create({
      model: 'scripted',
      input: [
        { role: 'user', content: 'Hi.' },
        { type: 'item_reference', id: item?.id ?? '' },
        { role: 'user', content: 'And now?' },
      ],
    });
    const same = await ask('And now?', { previous_response_id: first.id });
    expect(next.usage?.input_tokens).toBe(same.usage?.input_tokens);
    const unknown = [{ type: 'item_reference', id: 'msg_nothing' }];
    expect(
      await failure(await call('POST', '', { model: 'scripted', input: unknown })),
    ).toMatchObject({ status: 404, param: 'input[0].id' });
  });
});

describe('a stream of a response that is kept', () => {
  const replayed = async (id: string, query: { starting_after?: number } = {}) =>
    listOf(await test.client.responses.retrieve(id, { stream: true, ...query }));

  it('tells it as the first stream did', async () => {
    for (const body of [
      { model: 'scripted', input: 'Hi.' },
      { model: 'scripted', input: 'Hi.', include: ['message.output_text.logprobs'] },
      { model: 'scripted', input: 'Hi.', max_output_tokens: 4 },
      { model: 'thinking', input: 'Hi.' },
      ASK_WEATHER,
    ]) {
      const first = await eventsOf(test.client, body);
      const last = first.at(-1);
      if (!last || !('response' in last)) throw new Error('expected a response at the end');
      const again = await replayed(last.response.id);
      const typesOf = (events: readonly ResponseStreamEvent[]) =>
        events.map(({ type }) => type).filter((type, i, all) => type !== all[i - 1]);
      expect(typesOf(again)).toEqual(typesOf(first));
      expect(again.at(-1)).toEqual({ ...last, sequence_number: again.length - 1 });
      const textOf = (events: readonly ResponseStreamEvent[]) =>
        events.map((event) => ('delta' in event ? event.delta : '')).join('');
      expect(textOf(again)).toBe(textOf(first));
    }
  });

  it('is read by the helper of the official client', async () => {
    const whole = await ask('Hi.');
    const stream = test.client.responses.stream({ response_id: whole.id, starting_after: 3 });
    const numbers: number[] = [];
    stream.on('event', (event) => numbers.push(event.sequence_number));
    expect((await stream.finalResponse()).output_text).toBe(whole.output_text);
    expect(numbers[0]).toBe(4);
  });

  it('begins after the event that was named', async () => {
    const { id } = await ask('Hi.');
    const all = await replayed(id);
    expect(all.map((event) => event.sequence_number)).toEqual(all.map((_, i) => i));
    expect(await replayed(id, { starting_after: 0 })).toEqual(all.slice(1));
    expect(await replayed(id, { starting_after: 4 })).toEqual(all.slice(5));
    expect(await replayed(id, { starting_after: all.length - 1 })).toEqual([]);
  });

  it('tells of an answer that its client did not wait for as incomplete', async () => {
    const stream = await test.client.responses.create({
      ...{ model: 'scripted-long', input: 'Hi.', stream: true },
    });
    let id = '';
    for await (const event of stream) {
      if (event.type === 'response.created') id = event.response.id;
      if (event.type === 'response.output_text.delta') break;
    }
    const events = await vi.waitFor(() => replayed(id));
    expect(events.at(-1)).toMatchObject({
      ...{ type: 'response.incomplete', response: { status: 'cancelled' } },
    });
  });

  it.each([
    ['stream', 'stream=yes'],
    ['stream', 'stream='],
    ['starting_after', 'stream=true&starting_after=-1'],
    ['starting_after', 'stream=true&starting_after=1.5'],
    ['starting_after', 'stream=true&starting_after='],
    ['starting_after', 'stream=true&starting_after=1000'],
    ['starting_after', 'starting_after=1'],
  ])('is refused for its %s: %s', async (param, query) => {
    const { id } = await ask('Hi.');
    expect(await failure(await call('GET', `/${id}?${query}`))).toMatchObject({
      ...{ status: 400, param },
    });
  });

  it('is refused where nothing is kept', async () => {
    expect(await failure(await call('GET', '/resp_nothing?stream=true'))).toMatchObject({
      ...{ status: 404, code: 'response_not_found' },
    });
  });
});

describe('input_items', () => {
  const input = ['a', 'b', 'c', 'd', 'e'].map((content) => ({ role: 'user' as const, content }));
  const textOf = (item: unknown) => (item as { content: { text: string }[] }).content[0]?.text;

  it('come in pages, the last one first', async () => {
    const { id } = await test.client.responses.create({ model: 'scripted', input });
    const texts = async (order?: 'asc') => {
      const all: unknown[] = [];
      const query = { limit: 2, ...(order ? { order } : {}) };
      for await (const item of test.client.responses.inputItems.list(id, query)) {
        all.push(textOf(item));
      }
      return all.join('');
    };
    expect(await texts()).toBe('edcba');
    expect(await texts('asc')).toBe('abcde');
    const page = await call('GET', `/${id}/input_items?limit=2&order=asc`);
    const { data, ...rest } = inputItemListSchema.parse(await page.json());
    expect(rest).toEqual({
      ...{ object: 'list', has_more: true, first_id: data[0]?.id, last_id: data[1]?.id },
    });
  });

  it.each([
    ['limit', 'limit=0'],
    ['limit', 'limit=101'],
    ['limit', 'limit=a'],
    ['order', 'order=up'],
    ['after', 'after=msg_nothing'],
  ])('refuse %s where it cannot be: %s', async (param, query) => {
    const { id } = await ask('Hi.');
    expect(await failure(await call('GET', `/${id}/input_items?${query}`))).toMatchObject({
      ...{ status: 400, param },
    });
  });
});

describe('what cannot be', () => {
  it('is refused: cancelling an answer that is there', async () => {
    const { id } = await ask('Hi.');
    expect((await failure(await call('POST', `/${id}/cancel`))).status).toBe(400);
    expect((await failure(await call('POST', '/resp_nothing/cancel'))).status).toBe(404);
  });

  it('is refused: an unknown model, a broken schema, another method', async () => {
    expect(await failure(await call('POST', '', { model: 'nothing', input: 'Hi.' }))).toMatchObject(
      { status: 404, param: 'model', code: 'model_not_found' },
    );
    const text = {
      format: { type: 'json_schema', name: 'x', schema: { type: 'string', pattern: '^a{2,1}$' } },
    };
    for (const stream of [true, false]) {
      const body = { model: 'scripted', input: 'Hi.', text, stream };
      expect(await failure(await call('POST', '', body))).toMatchObject({
        ...{ status: 400, code: 'invalid_grammar', param: 'text.format.schema' },
      });
    }
    expect((await failure(await call('PUT', '', {}))).status).toBe(405);
    expect((await failure(await call('GET', '/resp_nothing'))).status).toBe(404);
  });

  it('is refused: compacting a conversation, for which there is no route', async () => {
    const body = { model: 'scripted', input: 'Hi.' };
    expect(await failure(await call('POST', '/compact', body))).toMatchObject({
      status: 404,
      code: 'not_found',
      message: expect.stringContaining('There is nothing at POST /v1/responses/compact.'),
    });
  });
});

it('answers beside a damaged database, which it keeps aside and tells of', async () => {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'pilotlight-test-'));
  await writeFile(path.join(dataDir, 'pilotlight.sqlite'), 'no database '.repeat(1000));
  const server = await start({ models: ['scripted'], dataDir });
  const { id } = await server.client.responses.create({ model: 'scripted', input: 'Hi.' });
  expect((await server.client.responses.retrieve(id)).id).toBe(id);
  expect(server.server.state.now().notices).toEqual([expect.stringContaining('damaged')]);
  expect(readdirSync(dataDir).some((name) => name.startsWith('pilotlight.damaged-'))).toBe(true);
});
