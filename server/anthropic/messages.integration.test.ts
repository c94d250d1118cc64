// A real server, engine and socket; the official client.
import Anthropic from '@anthropic-ai/sdk';
import type { MessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  LONG_CYCLE_TEXT,
  SCRIPTED_SENTENCE,
  THINKING_ANSWER,
  THINKING_TEXT,
} from '../../scripts/test-models/scripts.js';
import { startTestServer, type TestServer, user } from '../test-server.js';

let test: TestServer;
let client: Anthropic;
beforeAll(async () => {
  test = await startTestServer({
    models: ['scripted', 'scripted-long', 'thinking', 'random', 'toolcall'],
  });
  client = new Anthropic({ baseURL: test.server.url, apiKey: 'none', maxRetries: 0 });
});
afterAll(() => test.close());

const request = { model: 'scripted', max_tokens: 100, messages: [user('Hi.')] };
const endless = { ...request, model: 'scripted-long', max_tokens: 40 };
const thinking = { ...request, model: 'thinking', max_tokens: 2000 };

const textsOf = ({ content }: Anthropic.Message) =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('');

async function eventsOf(
  params: Anthropic.MessageCreateParams,
): Promise<{ events: MessageStreamEvent[]; message: Anthropic.Message }> {
  const events: MessageStreamEvent[] = [];
  const stream = client.messages.stream({ ...params, stream: true });
  stream.on('streamEvent', (event) => events.push(structuredClone(event)));
  return { message: await stream.finalMessage(), events };
}

describe('an answer', () => {
  it('is a message, collected', async () => {
    const message = await client.messages.create(request);
    expect(message).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: 'scripted',
      content: [{ type: 'text', text: SCRIPTED_SENTENCE }],
      stop_reason: 'end_turn',
      stop_sequence: null,
    });
    expect(message.id).toMatch(/^msg_/);
    expect(message.usage.output_tokens).toBeGreaterThan(10);
    expect(message._request_id).toMatch(/./);
  });

  it('B49: is told by its events, with the real count of the prompt in the first', async () => {
    const { events, message } = await eventsOf(request);
    const { input_tokens } = await client.messages.countTokens({
      model: request.model,
      messages: request.messages,
    });
    const [first] = events;
    if (first?.type !== 'message_start') throw new Error('the first event is another');
    expect(input_tokens).toBeGreaterThan(1);
    expect(first.message.usage.input_tokens).toBe(input_tokens);
    expect(first.message.stop_reason).toBeNull();
    expect(message.usage.input_tokens).toBe(input_tokens);
    expect(events.map(({ type }) => type).filter((type, i, all) => type !== all[i - 1])).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    const { content, usage, stop_reason } = await client.messages.create(request);
    expect(message).toMatchObject({ content, usage, stop_reason });
  });

  it('names every event on the wire and pings once the prompt is read', async () => {
    const response = await post({ ...request, stream: true });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const frames = (await response.text()).split('\n\n').filter((frame) => frame !== '');
    for (const frame of frames) {
      const [, name, data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(frame) ?? [];
      expect(JSON.parse(data).type).toBe(name);
    }
    expect(frames[1]).toBe('event: ping\ndata: {"type":"ping"}');
  });

  it('goes on from what the assistant has begun', async () => {
    const begun = { role: 'assistant' as const, content: SCRIPTED_SENTENCE.slice(0, 6) };
    const message = await client.messages.create({ ...request, messages: [user('Hi.'), begun] });
    expect(textsOf(message)).toBe(SCRIPTED_SENTENCE.slice(6));
  });

  it('stays away with max_tokens 0, which only reads the prompt', async () => {
    for (const message of [
      await client.messages.create({ ...request, max_tokens: 0 }),
      (await eventsOf({ ...request, max_tokens: 0 })).message,
    ]) {
      expect(message).toMatchObject({ content: [], stop_reason: 'max_tokens' });
      expect(message.usage.output_tokens).toBe(0);
    }
  });
});

describe('why it ended', () => {
  it('is max_tokens at the limit', async () => {
    const { stop_reason, usage } = await client.messages.create({ ...endless, max_tokens: 8 });
    expect(stop_reason).toBe('max_tokens');
    expect(usage.output_tokens).toBe(8);
  });

  it('is the stop sequence that was met, of several', async () => {
    const stop_sequences = ['never', 'gamma', 'delta'];
    for (const message of [
      await client.messages.create({ ...endless, stop_sequences }),
      (await eventsOf({ ...endless, stop_sequences })).message,
    ]) {
      expect(message).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: 'gamma' });
      expect(textsOf(message)).toBe(LONG_CYCLE_TEXT.slice(0, LONG_CYCLE_TEXT.indexOf('gamma')));
    }
  });

  it('is the context where that ends first', async () => {
    const message = await client.messages.create({ ...endless, max_tokens: 3000 });
    expect(message.stop_reason).toBe('model_context_window_exceeded');
    const { input_tokens, output_tokens } = message.usage;
    expect(output_tokens).toBeLessThan(3000);
    expect(input_tokens + output_tokens).toBeGreaterThan(1500);
  });
});

describe('thinking', () => {
  it('comes first, in a block of its own, where it is asked for', async () => {
    const { events, message } = await eventsOf({
      ...thinking,
      thinking: { type: 'enabled', budget_tokens: 1024 },
    });
    const [thought, text] = message.content;
    expect(message.content).toHaveLength(2);
    if (thought?.type !== 'thinking') throw new Error('the first block is another');
    expect(thought.thinking.trim()).toBe(THINKING_TEXT);
    expect(thought.signature).toMatch(/./);
    expect(text).toMatchObject({ type: 'text', text: THINKING_ANSWER });
    const kinds = events.flatMap((event) =>
      event.type === 'content_block_delta' ? [event.delta.type] : [],
    );
    expect(kinds.filter((kind, i) => kind !== kinds[i - 1])).toEqual([
      'thinking_delta',
      'signature_delta',
      'text_delta',
    ]);
    const collected = await client.messages.create({ ...thinking, thinking: { type: 'adaptive' } });
    expect(collected.content).toEqual(message.content);
  });

  it('is left out where nothing is said, and hidden where that is asked for', async () => {
    const plain = await client.messages.create(thinking);
    expect(plain.content).toMatchObject([{ type: 'text', text: THINKING_ANSWER }]);
    const hidden = await client.messages.create({
      ...thinking,
      thinking: { type: 'adaptive', display: 'omitted' },
    });
    expect(hidden.content).toMatchObject([{ type: 'thinking', thinking: '' }, { type: 'text' }]);
  });

  it('is taken back as part of the conversation', async () => {
    const first = await client.messages.create({ ...thinking, thinking: { type: 'adaptive' } });
    const { model, messages } = thinking;
    const turns = (content: Anthropic.ContentBlockParam[]) => [
      ...messages,
      { role: 'assistant' as const, content },
      user('Sure?'),
    ];
    const count = async (content: Anthropic.ContentBlockParam[]) =>
      (await client.messages.countTokens({ model, messages: turns(content) })).input_tokens;
    const blocks = first.content as Anthropic.ContentBlockParam[];
    expect(await count(blocks)).toBeGreaterThan(await count(blocks.slice(1)));
  });
});

describe('a count of tokens', () => {
  const cases: Omit<Anthropic.MessageCountTokensParams, 'model'>[] = [
    { messages: [user('Hi.')] },
    { messages: [user('Hi.')], system: 'Be kind.' },
    {
      system: [{ type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral' } }],
      messages: [user('One.'), user('Two.'), { role: 'assistant', content: 'Three' }],
    },
    {
      messages: [user('Hi.'), { role: 'system', content: 'Be short.' }, user('So?')],
      tools: [{ name: 'look', input_schema: { type: 'object' } }],
      thinking: { type: 'adaptive' },
    },
  ];
  it.each(cases)('is what the answer says: %j', async (params) => {
    for (const model of params.tools ? ['toolcall'] : ['scripted', 'thinking']) {
      const { input_tokens } = await client.messages.countTokens({ model, ...params });
      const { usage } = await client.messages.create({ model, ...params, max_tokens: 1 });
      expect(usage.input_tokens + (usage.cache_read_input_tokens ?? 0)).toBe(input_tokens);
      const start = (await eventsOf({ model, ...params, max_tokens: 1 })).events[0];
      expect(start).toMatchObject({ message: { usage: { input_tokens } } });
    }
  });

  it('tells tokens from the cache apart where a request asks for caching', async () => {
    const messages = [user('A prompt of some length, so that there is something to keep.')];
    const twice = { ...request, messages, cache_control: { type: 'ephemeral' as const } };
    await client.messages.create(twice);
    const { usage } = await client.messages.create(twice);
    expect(usage.cache_read_input_tokens).toBeGreaterThan(0);
    const plain = await client.messages.create({ ...request, messages });
    expect(plain.usage.cache_read_input_tokens).toBe(0);
    expect(plain.usage.input_tokens).toBe(
      usage.input_tokens + (usage.cache_read_input_tokens ?? 0),
    );
  });
});

it('a schema holds a model that writes at random', async () => {
  const schema = {
    type: 'object',
    properties: { kind: { enum: ['a', 'b'] } },
    required: ['kind'],
    additionalProperties: false,
  };
  const message = await client.messages.create({
    ...request,
    model: 'random',
    max_tokens: 1000,
    output_config: { format: { type: 'json_schema', schema } },
  });
  expect(['a', 'b']).toContain(JSON.parse(textsOf(message)).kind);
});

it('a client that leaves ends the generation', async () => {
  const stream = client.messages.stream({ ...endless, max_tokens: 100_000 });
  const left = new Promise<void>((resolve) => stream.once('text', () => resolve()));
  stream.on('error', () => {});
  stream.on('abort', () => {});
  await left;
  stream.abort();
  await test.until(({ running, waiting }) => running === 0 && waiting === 0);
});

function post(body: unknown): Promise<Response> {
  return fetch(`${test.server.url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}
