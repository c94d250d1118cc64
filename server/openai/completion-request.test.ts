import { describe, expect, it } from 'vitest';
import { ApiError } from '../http/errors.js';
import { withDefaults } from '../request/defaults.js';
import { parseCompletionRequest } from './completion-request.js';

describe('prompt', () => {
  it.each<[unknown, unknown[]]>([
    ['Hi', [{ kind: 'text', text: 'Hi' }]],
    ['', [{ kind: 'text', text: '' }]],
    [
      ['a', 'b'],
      [
        { kind: 'text', text: 'a' },
        { kind: 'text', text: 'b' },
      ],
    ],
    [[1, 2], [{ kind: 'tokens', tokenIds: [1, 2] }]],
    [
      [[1], [2, 3]],
      [
        { kind: 'tokens', tokenIds: [1] },
        { kind: 'tokens', tokenIds: [2, 3] },
      ],
    ],
  ])('%j', (prompt, expected) => {
    const { inputs } = parseCompletionRequest({ prompt });
    expect(inputs.map((input) => input.prompt)).toEqual(expected);
  });
});

describe('what is said arrives', () => {
  it('for each prompt', () => {
    const request = { prompt: ['a', 'b'], n: 2, logprobs: 3, stop: 'x', seed: 1, max_tokens: 5 };
    const { inputs, choices } = parseCompletionRequest(request);
    expect(choices).toBe(2);
    for (const input of inputs) {
      expect(input).toMatchObject({ choices: 2, stop: ['x'], maxTokens: 5 });
      expect(input.sampling).toMatchObject({ logprobs: 3, seed: 1 });
    }
  });

  it('also what the answer must look like', () => {
    const request = { prompt: 'a', response_format: { type: 'json_object' } };
    expect(parseCompletionRequest(request).inputs[0]?.grammar).toEqual({ kind: 'json_object' });
  });

  it('and the limit is 16 tokens where nothing is said; max_completion_tokens holds too', () => {
    const limit = (extra: object) => {
      const [input] = parseCompletionRequest({ prompt: 'a', ...extra }).inputs;
      return input && withDefaults(input, {}).maxTokens;
    };
    expect(limit({})).toBe(16);
    expect(limit({ max_tokens: null })).toBe(16);
    expect(limit({ max_tokens: 9 })).toBe(9);
    expect(limit({ max_tokens: 9, max_completion_tokens: 7 })).toBe(7);
  });

  it('echo gives the prompts', () => {
    expect(parseCompletionRequest({ prompt: ['a', 'b'], echo: true }).echoes).toEqual(['a', 'b']);
    expect(parseCompletionRequest({ prompt: ['a', 'b'] }).echoes).toEqual(['', '']);
  });

  it('unknown fields are listed', () => {
    expect(parseCompletionRequest({ prompt: 'a', foo: 1, user: 'me' }).ignored).toEqual(['foo']);
  });
});

describe('refusals name the parameter', () => {
  it.each<[string, object]>([
    ['prompt', {}],
    ['prompt', { prompt: [] }],
    ['prompt', { prompt: [[]] }],
    ['prompt', { prompt: [-1] }],
    ['prompt', { prompt: ['a', 1] }],
    ['prompt', { prompt: 5 }],
    ['prompt', { prompt: Array.from({ length: 129 }, () => 'a') }],
    ['logprobs', { prompt: 'a', logprobs: true }],
    ['logprobs', { prompt: 'a', logprobs: 21 }],
    ['echo', { prompt: 'a', echo: true, logprobs: 1 }],
    ['echo', { prompt: [1], echo: true }],
    ['best_of', { prompt: 'a', best_of: 3 }],
    ['suffix', { prompt: 'a', suffix: 'b' }],
    ['temperature', { prompt: 'a', temperature: 3 }],
    ['stream_options', { prompt: 'a', stream_options: {} }],
    ['grammar', { prompt: 'a', grammar: 'root ::= "a"' }],
  ])('%s: %j', (param, body) => {
    let told: unknown;
    try {
      parseCompletionRequest(body);
    } catch (error) {
      told = error;
    }
    expect(told).toBeInstanceOf(ApiError);
    expect(told).toMatchObject({ status: 400, param });
  });
});
