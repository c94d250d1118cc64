// Chats and generations: the official client and plain sockets against the real server.
import { describe, expect, it } from 'vitest';
import { ollamaChatChunkSchema, ollamaGenerateChunkSchema } from '../../protocol/ollama.js';
import {
  AFTER_TOOL_SENTENCE,
  SCRIPTED_SENTENCE,
  THINKING_ANSWER,
  THINKING_TEXT,
  TOOL,
  TOOL_CALL,
} from '../../scripts/test-models/scripts.js';
import { contentOf, user } from '../test-server.js';
import { ollamaServer } from './test-ollama.js';

const { test, client, post } = ollamaServer([
  'scripted',
  'scripted-long',
  'thinking',
  'toolcall',
  'random',
]);
const WEATHER = { type: 'function', function: TOOL };

describe('a chat', () => {
  const request = { model: 'scripted', messages: [user('Hello?')] };

  it('streams, and ends with the reason and real durations', async () => {
    let text = '';
    let last: unknown = null;
    for await (const chunk of await client().chat({ ...request, stream: true })) {
      ollamaChatChunkSchema.strict().parse(chunk);
      text += chunk.message.content;
      last = chunk;
    }
    expect(text).toBe(SCRIPTED_SENTENCE);
    expect(last).toMatchObject({ done: true, done_reason: 'stop', eval_count: 22 });
    const told = ollamaChatChunkSchema.parse(last);
    expect(told.prompt_eval_count).toBeGreaterThan(0);
    expect(told.eval_duration).toBeGreaterThan(0);
    expect(told.total_duration).toBeGreaterThanOrEqual(told.eval_duration ?? Number.NaN);
  });

  it('is one object where no stream is wanted, with the same text', async () => {
    // The client writes into what it is given.
    const answer = await client().chat({ ...request });
    ollamaChatChunkSchema.strict().parse(answer);
    expect(answer).toMatchObject({
      model: 'scripted',
      message: { role: 'assistant', content: SCRIPTED_SENTENCE },
      done: true,
      done_reason: 'stop',
    });
    const short = await client().chat({ ...request, options: { num_predict: 3 } });
    expect(short).toMatchObject({ done_reason: 'length', eval_count: 3 });
  });

  it('streams where nothing is said, as lines of JSON', async () => {
    const response = await post('chat', request);
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    const lines = (await response.text()).trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(20);
    expect(lines.map((line) => JSON.parse(line).done).indexOf(true)).toBe(lines.length - 1);
  });

  it('has the text of /v1/chat/completions with the same seed and options', async () => {
    const options = { seed: 11, temperature: 1.2, top_p: 0.9, top_k: 50, min_p: 0.01 };
    const messages = [{ role: 'system' as const, content: 'Be brief.' }, user('Say something.')];
    const theirs = await test().answer({
      ...{ model: 'random', messages, max_tokens: 60, repeat_penalty: 1.1 },
      ...options,
    });
    const ours = await client().chat({
      ...{ model: 'random', messages },
      options: { ...options, num_predict: 60, repeat_penalty: 1.1 },
    });
    expect(ours.message.content).toBe(contentOf(theirs));
    const generated = await client().generate({
      ...{ model: 'random', system: 'Be brief.', prompt: 'Say something.' },
      options: { ...options, num_predict: 60, repeat_penalty: 1.1 },
    });
    expect(generated.response).toBe(contentOf(theirs));
  });

  it('tells thoughts apart from the answer, and leaves them out where none are wanted', async () => {
    const asked = { model: 'thinking', messages: [user('How many apples?')] };
    const { message } = await client().chat({ ...asked, think: true });
    expect(message.content).toBe(THINKING_ANSWER);
    expect(message.thinking?.trim()).toBe(THINKING_TEXT);
    let thinking = '';
    for await (const chunk of await client().chat({ ...asked, think: 'high', stream: true })) {
      thinking += chunk.message.thinking ?? '';
    }
    expect(thinking).toBe(message.thinking);
    const brief = await client().chat({ ...asked, think: false });
    expect(brief.message).toEqual({ role: 'assistant', content: THINKING_ANSWER });
  });

  it('calls a tool in one piece, and goes on with its result', async () => {
    const asked = { model: 'toolcall', tools: [WEATHER] };
    const messages = [user('What is the weather in Rome?')];
    const chunks = [];
    for await (const chunk of await client().chat({ ...asked, messages, stream: true })) {
      chunks.push(chunk);
    }
    const calls = chunks.flatMap(({ message }) => message.tool_calls ?? []);
    expect(calls).toEqual([{ function: TOOL_CALL }]);
    expect(chunks.at(-1)).toMatchObject({ done: true, done_reason: 'stop' });

    const whole = await client().chat({ ...asked, messages });
    expect(whole.message.tool_calls).toEqual(calls);
    const after = await client().chat({
      model: 'toolcall',
      messages: [
        ...messages,
        whole.message,
        { role: 'tool', tool_name: TOOL_CALL.name, content: 'Sunny.' },
      ],
    });
    expect(after.message.content).toBe(AFTER_TOOL_SENTENCE);
  });

  it('is held to a schema, and to JSON', async () => {
    const schema = {
      type: 'object',
      properties: { kind: { enum: ['a', 'b'] }, good: { type: 'boolean' } },
      required: ['kind', 'good'],
      additionalProperties: false,
    };
    const asked = {
      ...{ model: 'random', messages: [user('Hi.')] },
      options: { seed: 3, temperature: 1.5, num_predict: 1000 },
    };
    const { message } = await client().chat({ ...asked, format: schema });
    const value = JSON.parse(message.content);
    expect(['a', 'b']).toContain(value.kind);
    expect(value.good).toBeTypeOf('boolean');
    const any = await client().chat({ ...asked, format: 'json' });
    expect(any.message.content.trimStart()).toMatch(/^\{/);
  });

  it('has log probabilities, as many as tokens', async () => {
    const answer = await client().chat({ ...request, logprobs: true, top_logprobs: 2 });
    expect(answer.logprobs).toHaveLength(answer.eval_count);
    expect(answer.logprobs?.[0]?.top_logprobs).toHaveLength(2);
  });

  it('is cancelled when its client leaves', async () => {
    const stream = await client().chat({
      ...{ model: 'scripted-long', messages: [user('Go.')], stream: true },
    });
    const reading = (async () => {
      for await (const chunk of stream) {
        if (chunk.message.content) stream.abort();
      }
    })();
    await expect(reading).rejects.toThrow(/abort/i);
    await test().until(({ running, waiting }) => running + waiting === 0);
  });

  it('that fails in mid-stream ends with a line that says why', async () => {
    const stream = await client().chat({
      ...{ model: 'scripted-long', messages: [user('Go.')], stream: true },
    });
    const reading = (async () => {
      for await (const chunk of stream) {
        const pid = test().engines.at(-1)?.pid;
        if (chunk.message.content && pid !== undefined) process.kill(pid, 'SIGKILL');
      }
    })();
    await expect(reading).rejects.toThrow(/killed/);
  });
});

describe('a generation', () => {
  it('streams and collects the same text', async () => {
    const request = { model: 'scripted', prompt: 'Hello?' };
    let text = '';
    for await (const chunk of await client().generate({ ...request, stream: true })) {
      ollamaGenerateChunkSchema.strict().parse(chunk);
      text += chunk.response;
    }
    const whole = await client().generate({ ...request });
    ollamaGenerateChunkSchema.strict().parse(whole);
    expect(whole.response).toBe(SCRIPTED_SENTENCE);
    expect(text).toBe(whole.response);
  });

  it('takes a raw prompt as it is', async () => {
    const raw = { ...{ model: 'random', prompt: 'Once upon a time' }, raw: true };
    const options = { seed: 5, temperature: 1, num_predict: 30 };
    const { response } = await client().generate({ ...raw, options });
    const completion = await test().client.completions.create({
      ...{ model: 'random', prompt: raw.prompt, seed: 5, temperature: 1, max_tokens: 30 },
    });
    expect(response).toBe(completion.choices[0]?.text);
    let streamed = '';
    for await (const chunk of await client().generate({ ...raw, options, stream: true })) {
      streamed += chunk.response;
    }
    expect(streamed).toBe(response);
  });
});
