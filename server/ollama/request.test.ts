import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../http/errors.js';
import { toTtl } from './keep-alive.js';
import { idsOf } from './names.js';
import { parseOllamaChat, parseOllamaGenerate } from './request.js';

const user = (content: string) => ({ role: 'user', content });
const chat = (change: object) =>
  parseOllamaChat({ model: 'm', messages: [user('Hi.')], ...change });
const input = (change: object) => {
  const parsed = chat(change).input;
  if (parsed?.prompt.kind !== 'chat') throw new TypeError('expected a chat');
  return { ...parsed, prompt: parsed.prompt };
};

describe('options', () => {
  it('become what the engine takes', () => {
    const options = {
      ...{ temperature: 0.5, top_k: 7, top_p: 0.6, min_p: 0.1, seed: 42, num_predict: 9 },
      ...{ stop: ['a', 'b', 'c', 'd', 'e'], repeat_penalty: 1.2 },
      ...{ presence_penalty: 0.3, frequency_penalty: 0.4, repeat_last_n: 64 },
    };
    expect(input({ options })).toMatchObject({
      maxTokens: 9,
      stop: ['a', 'b', 'c', 'd', 'e'],
      sampling: {
        ...{ temperature: 0.5, topK: 7, topP: 0.6, minP: 0.1, seed: 42 },
        ...{ repeatPenalty: 1.2, presencePenalty: 0.3, frequencyPenalty: 0.4 },
        penalizedTokens: 64,
      },
    });
  });

  it('of nothing, of null, and the values that mean "no limit" and "random" leave it to the model', () => {
    for (const options of [
      undefined,
      null,
      {},
      { num_predict: -1, seed: -1 },
      { num_predict: -2 },
    ]) {
      expect(input({ options })).toMatchObject({ maxTokens: null, sampling: { seed: null } });
    }
  });

  it('let penalties look at the whole answer, at a part of it, or at nothing', () => {
    const penalized = (repeat_last_n: number | null) =>
      input({ options: { repeat_last_n } }).sampling.penalizedTokens;
    expect([null, -1, 0, 64].map(penalized)).toEqual([null, null, 0, 64]);
  });

  it('cannot bring in what other dialects have', () => {
    const { choices, sampling, maxTokens } = input({
      options: { n: 50, logit_bias: { x: 1 }, max_completion_tokens: 5 },
    });
    expect({ choices, maxTokens }).toEqual({ choices: 1, maxTokens: null });
    expect(sampling.logitBias).toEqual([]);
  });
});

describe('thinking', () => {
  it.each([
    [undefined, true, {}],
    [true, true, {}],
    [false, false, { reasoning_effort: '"none"' }],
    ['high', true, { reasoning_effort: '"high"' }],
  ])('%j', (think, enableThinking, templateKwargs) => {
    expect(input({ think }).prompt).toMatchObject({ enableThinking, templateKwargs });
  });
});

describe('tool calls and results in the conversation', () => {
  const call = (name: string, values: object) => ({ function: { name, arguments: values } });
  const messagesOf = (messages: object[]) => input({ messages }).prompt.messages;

  it('belong together by the name of the tool, or else by their order', () => {
    const messages = messagesOf([
      user('?'),
      { role: 'assistant', content: '', tool_calls: [call('a', { x: 1 }), call('b', {})] },
      { role: 'tool', tool_name: 'b', content: 'of b' },
      { role: 'tool', content: 'of a' },
      { role: 'assistant', tool_calls: [call('a', { x: 2 })], thinking: 'Again.' },
      { role: 'tool', tool_name: 'a', content: 'of a, again' },
    ]);
    const [, calling, ofB, ofA, again, last] = messages;
    expect(calling?.toolCalls?.map(({ name, arguments: text }) => [name, text])).toEqual([
      ['a', '{"x":1}'],
      ['b', '{}'],
    ]);
    const ids = [...(calling?.toolCalls ?? []), ...(again?.toolCalls ?? [])].map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[a-z0-9]{9}$/);
    expect([ofA, ofB, last].map((message) => message?.toolCallId)).toEqual(ids);
    expect([ofA, ofB, last].map((message) => message?.name)).toEqual(['a', 'b', 'a']);
    expect(again?.reasoningContent).toBe('Again.');
  });

  it('keep the ids that a client has', () => {
    const [, calling, result] = messagesOf([
      user('?'),
      { role: 'assistant', content: '', tool_calls: [{ id: 'mine', ...call('a', {}) }] },
      { role: 'tool', tool_call_id: 'mine', content: 'x' },
    ]);
    expect(calling?.toolCalls?.[0]?.id).toBe('mine');
    expect(result?.toolCallId).toBe('mine');
  });
});

describe('nothing to say', () => {
  it('asks for the model only', () => {
    for (const messages of [undefined, null, []]) {
      expect(chat({ messages })).toMatchObject({ input: null, wishes: { ttl: undefined } });
      expect(chat({ messages, keep_alive: 0 })).toMatchObject({ input: null, wishes: { ttl: 0 } });
    }
    expect(parseOllamaGenerate({ model: 'm', prompt: '' }).input).toBeNull();
    expect(parseOllamaGenerate({ model: 'm' }).input).toBeNull();
  });
});

describe('keep_alive', () => {
  it.each([0, '0', '0s', '0m', '0h0m0s', '-0', ' 0 '])('%j: at once', (value) => {
    expect(toTtl(value)).toBeCloseTo(0);
  });
  it.each<[number | string | null | undefined, number | null | undefined]>([
    [undefined, undefined],
    [null, undefined],
    [300, 300],
    ['300', 300],
    ['5m', 300],
    ['1h30m', 5400],
    ['0.5s', 0.5],
    ['100ms', 0.1],
    ['1000000h', 31_536_000],
    [-1, null],
    ['-1m', null],
    ['-1', null],
  ])('%j: %j seconds', (value, seconds) => {
    expect(toTtl(value)).toBe(seconds);
  });
  it.each(['', 'soon', '5 minutes', 'm5', '-', '5m!'])('%j: is refused', (value) => {
    expect(() => toTtl(value)).toThrow(/^keep_alive must be/);
  });
});

it.each([
  ['qwen', ['qwen', 'qwen:latest']],
  ['qwen:latest', ['qwen:latest', 'qwen']],
  ['qwen3:4b', ['qwen3:4b', 'qwen3-4b']],
])('%s may be %j', (name, ids) => {
  expect(idsOf(name)).toEqual(ids);
});

it('answers any JSON with a request or a 400, never with another error', () => {
  const keys = [
    ...['model', 'messages', 'stream', 'format', 'keep_alive', 'think', 'options', 'tools'],
    ...['prompt', 'system', 'raw', 'images', 'suffix', 'template', 'context', 'logprobs'],
    ...['role', 'content', 'tool_calls', 'function', 'name', 'arguments', 'tool_name'],
    ...['num_predict', 'seed', 'stop', 'mirostat', 'num_ctx', 'top_logprobs'],
  ];
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, false, 0, -1, 1.5, '', 'json', 'tool', 'assistant', '5m', 'x'),
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...keys), tie('any'), { maxKeys: 5 }),
    ),
  })).any;
  fc.assert(
    fc.property(value, (body) => {
      for (const parse of [parseOllamaChat, parseOllamaGenerate]) {
        try {
          parse(body);
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
          expect((error as ApiError).status).toBe(400);
          expect((error as ApiError).message).toMatch(/\.$/);
        }
      }
    }),
    { numRuns: 1000 },
  );
});
