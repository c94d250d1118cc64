// A real server, engines and sockets, models that are wired to say known things; the official client.
import { zodTextFormat } from 'openai/helpers/zod';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { responseSchema } from '../../protocol/response-object.js';
import {
  SCRIPTED_SENTENCE,
  THINKING_ANSWER,
  THINKING_TEXT,
} from '../../scripts/test-models/scripts.js';
import { startTestServer, type TestServer, user } from '../test-server.js';
import { ASK_WEATHER, eventsOf } from './test-responses.js';

let test: TestServer;
beforeAll(async () => {
  test = await startTestServer({
    models: ['scripted', 'thinking', 'toolcall', 'random', 'scripted-long'],
  });
});
afterAll(() => test.close());

function post(body: unknown, path = ''): Promise<Response> {
  return fetch(`${test.server.url}/v1/responses${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

describe('an answer', () => {
  it('is a response in the shape of the reference', async () => {
    const response = await test.client.responses.create({ model: 'scripted', input: 'Hi.' });
    expect(response.output_text).toBe(SCRIPTED_SENTENCE);
    expect(response).toMatchObject({
      status: 'completed',
      error: null,
      incomplete_details: null,
      store: true,
      output: [{ type: 'message', role: 'assistant', status: 'completed' }],
    });
    expect(() => responseSchema.parse(response)).not.toThrow();
  });

  it('has the usage of a chat completion with the same prompt', async () => {
    const { usage: chat } = await test.answer({ model: 'scripted', messages: [user('Hi.')] });
    const { usage } = await test.client.responses.create({ model: 'scripted', input: 'Hi.' });
    expect(usage).toMatchObject({
      input_tokens: chat.prompt_tokens,
      output_tokens: chat.completion_tokens,
      total_tokens: chat.total_tokens,
      output_tokens_details: { reasoning_tokens: 0 },
    });
  });

  it('is cut at max_output_tokens, and says so', async () => {
    const body = { model: 'scripted', input: 'Hi.', max_output_tokens: 5 };
    const response = await test.client.responses.create(body);
    expect(response).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ status: 'incomplete' }],
    });
    expect(response.output_text).toBe('Hello! This answer was');
    const events = await eventsOf(test.client, body);
    expect(events.at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { status: 'incomplete' },
    });
  });

  it('takes the reasoning apart, and leaves it out with effort "none"', async () => {
    const ask = { model: 'thinking', input: 'How many apples?' };
    const { output, usage } = await test.client.responses.create(ask);
    expect(output).toMatchObject([
      { type: 'reasoning', content: [{ type: 'reasoning_text', text: `${THINKING_TEXT}\n` }] },
      { type: 'message', content: [{ text: THINKING_ANSWER }] },
    ]);
    expect(usage?.output_tokens_details.reasoning_tokens).toBeGreaterThan(0);
    const short = await test.client.responses.create({ ...ask, reasoning: { effort: 'none' } });
    expect(short.output.map(({ type }) => type)).toEqual(['message']);
    expect(short.output_text).toBe(THINKING_ANSWER);
    expect(short.usage?.output_tokens_details.reasoning_tokens).toBe(0);
  });

  it('has log probabilities where they are asked for', async () => {
    const body = {
      model: 'scripted',
      input: 'Hi.',
      include: ['message.output_text.logprobs' as const],
      top_logprobs: 2,
    };
    const { output } = await test.client.responses.create(body);
    const [part] = output[0]?.type === 'message' ? output[0].content : [];
    const whole = part?.type === 'output_text' ? part.logprobs : [];
    expect(whole?.map(({ token }) => token).join('')).toBe(SCRIPTED_SENTENCE);
    expect(whole?.[0]?.top_logprobs).toHaveLength(2);
    const streamed = (await eventsOf(test.client, body)).flatMap((event) =>
      event.type === 'response.output_text.delta' ? event.logprobs : [],
    );
    expect(streamed).toEqual(whole);
  });

  it('holds to a schema that a model at random would not', async () => {
    const shape = z.object({ kind: z.enum(['a', 'b']), good: z.boolean() });
    const parsed = await test.client.responses.parse({
      model: 'random',
      input: 'Go.',
      text: { format: zodTextFormat(shape, 'verdict') },
    });
    expect(shape.parse(parsed.output_parsed)).toEqual(parsed.output_parsed);
    const { output_text: text } = await test.client.responses.create({
      ...{ model: 'random', input: 'Go.', text: { format: { type: 'json_object' } } },
      max_output_tokens: 400,
    });
    expect(text.trimStart()).toMatch(/^\{/);
  });
});

describe('a stream', () => {
  it('B48: numbers its events without gaps, and each has its place and its name', async () => {
    const text = await (await post({ model: 'thinking', input: 'Go.', stream: true })).text();
    const events = text.split('\n\n').filter((event) => event.startsWith('event: '));
    const parsed = events.map((event) => {
      const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(event) ?? [];
      const value = JSON.parse(data ?? '');
      expect(value.type).toBe(name);
      return value;
    });
    expect(parsed.map((event) => event.sequence_number)).toEqual(parsed.map((_, i) => i));
    for (const event of parsed) {
      if ('response' in event) continue;
      expect(event.output_index).toBeTypeOf('number');
      if ('item' in event) continue;
      expect(event.item_id).toMatch(/^(rs|msg)_/);
      expect(event.content_index).toBe(0);
    }
    expect(text.endsWith('\n\n')).toBe(true);
    expect(text).not.toContain('[DONE]');
  });

  it('comes in the order of the reference', async () => {
    const events = await eventsOf(test.client, { model: 'thinking', input: 'Go.' });
    const types = events.map(({ type }) => type);
    expect(types.filter((type, i) => type !== types[i - 1])).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.reasoning_text.delta',
      'response.reasoning_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
  });

  it('adds up, in the official helper, to the collected answer', async () => {
    for (const body of [
      { model: 'thinking', input: 'Go.' },
      ASK_WEATHER,
      { model: 'random', input: 'Go.', seed: 7, max_output_tokens: 60 },
    ]) {
      const whole = await test.client.responses.create(body as never);
      const deltas: string[] = [];
      const stream = test.client.responses
        .stream(body as never)
        .on('response.output_text.delta', ({ delta }) => deltas.push(delta));
      const final = await stream.finalResponse();
      const bare = (response: { output: unknown[] }) =>
        JSON.parse(
          JSON.stringify(response.output, (key, value) =>
            ['id', 'call_id', 'parsed', 'parsed_arguments'].includes(key) ? undefined : value,
          ),
        );
      expect(bare(final)).toEqual(bare(whole as never));
      expect(deltas.join('')).toBe(final.output_text);
    }
  });

  it('is refused with a status of its own where the prompt does not fit', async () => {
    const input = 'much too long '.repeat(5000);
    for (const stream of [true, false]) {
      const response = await post({ model: 'scripted', input, stream });
      expect(response.status).toBe(400);
      expect((await response.json()) as unknown).toMatchObject({
        error: {
          code: 'context_length_exceeded',
          param: 'input',
        },
      });
    }
  });

  it('that is left by its client gives its place free, and is kept as cancelled', async () => {
    const stream = await test.client.responses.create({
      ...{ model: 'scripted-long', input: 'Go on and on.', stream: true },
    });
    let id = '';
    for await (const event of stream) {
      if (event.type === 'response.created') id = event.response.id;
      if (event.type === 'response.output_text.delta') break;
    }
    await test.until((state) => state.running === 0);
    const kept = await vi.waitFor(() => test.client.responses.retrieve(id));
    expect(kept).toMatchObject({ status: 'cancelled', output: [{ status: 'incomplete' }] });
    expect(kept.output_text).not.toBe('');
  });

  it('ends with response.failed where the engine dies', async () => {
    const stream = await test.client.responses.create({
      ...{ model: 'scripted-long', input: 'Go on.', stream: true },
    });
    const events: ResponseStreamEvent[] = [];
    for await (const event of stream) {
      events.push(event);
      if (event.type === 'response.output_text.delta' && events.length < 10) {
        test.engines.at(-1)?.kill();
      }
    }
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'server_error' } },
    });
    expect(events.map((event) => (event as { sequence_number: number }).sequence_number)).toEqual(
      events.map((_, i) => i),
    );
  });
});
