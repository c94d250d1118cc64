// The official client and plain sockets against the real server.
import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  LONG_CYCLE_TEXT,
  SCRIPTED_SENTENCE,
  THINKING_ANSWER,
  THINKING_TEXT,
} from '../../scripts/test-models/scripts.js';
import { startTestServer, type TestServer, user } from '../test-server.js';

let test: TestServer;
beforeAll(async () => {
  test = await startTestServer({ models: ['scripted', 'scripted-long', 'thinking', 'random'] });
});
afterAll(() => test.close());

afterEach(() => test.idle());

describe('the OpenAI client', () => {
  it('streams', async () => {
    const stream = await test.client.chat.completions.create({
      model: 'scripted',
      messages: [user('Hello?')],
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    const usages: unknown[] = [];
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      if (chunk.usage) usages.push(chunk.usage);
    }
    expect(text).toBe(SCRIPTED_SENTENCE);
    expect(usages).toEqual([expect.objectContaining({ completion_tokens: 22 })]);
  });

  it('collects, and gets the same', async () => {
    const answer = await test.client.chat.completions.create({
      model: 'scripted',
      messages: [user('Hello?')],
    });
    expect(answer.choices).toEqual([
      {
        index: 0,
        message: { role: 'assistant', content: SCRIPTED_SENTENCE, refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ]);
    expect(answer).toMatchObject({
      object: 'chat.completion',
      model: 'scripted',
      usage: { completion_tokens: 22 },
    });
    expect(answer.id).toMatch(/^chatcmpl-/);
  });

  it('gets reasoning apart from the answer', async () => {
    const request = { model: 'thinking', messages: [user('How many apples?')] };
    const answer = await test.client.chat.completions.create(request);
    const message = answer.choices[0]?.message as { content: string; reasoning_content?: string };
    expect(message.content).toBe(THINKING_ANSWER);
    expect(message.reasoning_content?.trim()).toBe(THINKING_TEXT);
    const brief = await test.client.chat.completions.create({
      ...request,
      reasoning_effort: 'none',
    });
    expect(brief.choices[0]?.message).toEqual({
      role: 'assistant',
      content: THINKING_ANSWER,
      refusal: null,
    });
  });

  it('lists and retrieves models', async () => {
    const page = await test.client.models.list();
    const ids = page.data.map(({ id }) => id);
    expect(ids).toEqual(['random', 'scripted', 'scripted-long', 'thinking']);
    expect(await test.client.models.retrieve('scripted')).toMatchObject({
      id: 'scripted',
      object: 'model',
      status: 'loaded',
      context_length: 2048,
    });
    await expect(test.client.models.retrieve('nope')).rejects.toThrow(OpenAI.NotFoundError);
  });

  it('sees failures as its own error classes', async () => {
    const create = (extra: object) =>
      test.client.chat.completions.create({ model: 'scripted', messages: [user('?')], ...extra });
    await expect(create({ model: 'nope' })).rejects.toMatchObject({
      constructor: OpenAI.NotFoundError,
      code: 'model_not_found',
      param: 'model',
    });
    await expect(create({ temperature: 9 })).rejects.toMatchObject({
      constructor: OpenAI.BadRequestError,
      param: 'temperature',
    });
  });

  it('is refused a prompt beyond the context before the first byte, streamed or not', async () => {
    for (const stream of [true, false]) {
      const request = test.client.chat.completions.create({
        model: 'scripted',
        messages: [user('word '.repeat(5000))],
        stream,
      });
      await expect(request).rejects.toMatchObject({
        status: 400,
        code: 'context_length_exceeded',
        param: 'messages',
        // Both counts are told.
        message: expect.stringMatching(/\d{4,}.*2,?048|2,?048.*\d{4,}/),
      });
    }
  });

  it('runs sixteen streams at the same time', async () => {
    const texts = await Promise.all(
      Array.from({ length: 16 }, async () => {
        const stream = await test.client.chat.completions.create({
          model: 'scripted',
          messages: [user('All together!')],
          stream: true,
        });
        let text = '';
        for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
        return text;
      }),
    );
    expect(new Set(texts)).toEqual(new Set([SCRIPTED_SENTENCE]));
  });

  it('goes on with its own beginning', async () => {
    const answer = await test.client.chat.completions.create({
      model: 'scripted',
      messages: [user('?'), { role: 'assistant', content: 'Hello' }],
      max_tokens: 1,
    });
    expect(answer.choices[0]?.message.content).not.toBe('');
    expect(answer.choices[0]?.finish_reason).toBe('length');
  });
});

describe('a client that leaves', () => {
  const endless = { model: 'scripted-long', messages: [user('Go.')], max_tokens: 2000 };

  it('ends its stream', async () => {
    const stream = await test.client.chat.completions.create({ ...endless, stream: true });
    for await (const chunk of stream) {
      if (chunk.choices[0]?.delta.content) break;
    }
    await test.idle();
  });

  it('ends what it was collecting', async () => {
    const controller = new AbortController();
    const answer = test.chat({ ...endless, max_tokens: null }, { signal: controller.signal });
    answer.catch(() => {});
    await test.until(({ running }) => running === 1);
    controller.abort();
    await expect(answer).rejects.toThrow();
    await test.idle();
  });

  it('leaves the others alone', async () => {
    const controller = new AbortController();
    const leaving = await test.chat({ ...endless, stream: true }, { signal: controller.signal });
    const staying = test.client.chat.completions.create({ ...endless, max_tokens: 300 });
    await test.until(({ running }) => running === 2);
    controller.abort();
    await leaving.text().catch(() => {});
    const { choices, usage } = await staying;
    expect(usage?.completion_tokens).toBe(300);
    const whole = LONG_CYCLE_TEXT.repeat(300);
    expect(whole.startsWith(choices[0]?.message.content ?? '?')).toBe(true);
  });
});

describe('an engine that is killed', () => {
  it('ends the stream with an error event; the next request loads the model again', async () => {
    const stream = await test.client.chat.completions.create({
      model: 'scripted-long',
      messages: [user('Go.')],
      stream: true,
    });
    // What had been read already may still follow.
    let killed = false;
    const reading = (async () => {
      for await (const chunk of stream) {
        const pid = test.engines.at(-1)?.pid;
        if (!killed && chunk.choices[0]?.delta.content && pid !== undefined) {
          process.kill(pid, 'SIGKILL');
          killed = true;
        }
      }
    })();
    await expect(reading).rejects.toMatchObject({ code: 'engine_crashed' });
    const state = await test.until(({ models }) =>
      models.some(({ id, status }) => id === 'scripted-long' && status === 'crashed'),
    );
    expect(state.models.find(({ id }) => id === 'scripted-long')?.reason).toMatch(/\.$/);
    const again = await test.client.chat.completions.create({
      model: 'scripted-long',
      messages: [user('Again.')],
      max_tokens: 4,
    });
    expect(again.usage?.completion_tokens).toBe(4);
  });
});
