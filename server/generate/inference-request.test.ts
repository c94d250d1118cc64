import { describe, expect, it } from 'vitest';
import { ApiError } from '../http/errors.js';
import { parseInferenceRequest } from './inference-request.js';

const good = { token_ids: [1, 2], sampling_params: { max_tokens: 3 } };

function refusal(body: unknown): ApiError {
  try {
    parseInferenceRequest(body);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('not refused');
}

describe('what is asked', () => {
  it('goes to the engine as it is', () => {
    const sampling_params = {
      ...{ max_tokens: 3, temperature: 0.5, top_p: 0.9, top_k: -1, min_p: 0.1, seed: 7, n: 2 },
      ...{ stop: 'x', stop_token_ids: [5], ignore_eos: true, logprobs: 0, logit_bias: { 4: -1 } },
      ...{ presence_penalty: 1, frequency_penalty: -1, repetition_penalty: 1.5 },
      ...{ prompt_logprobs: null, min_tokens: 0, skip_special_tokens: false },
    };
    expect(
      parseInferenceRequest({
        ...{ request_id: 'mine', model: 'm', token_ids: [1, 2], sampling_params, stream: true },
        ...{ stream_options: { include_usage: true, continuous_usage_stats: true }, priority: 3 },
      }),
    ).toEqual({
      requestId: 'mine',
      model: 'm',
      input: {
        prompt: { kind: 'tokens', tokenIds: [1, 2] },
        grammar: null,
        choices: 2,
        sampling: {
          ...{ temperature: 0.5, topP: 0.9, topK: 0, minP: 0.1, seed: 7, logprobs: 0 },
          ...{ presencePenalty: 1, frequencyPenalty: -1, repeatPenalty: 1.5 },
          logitBias: [[4, -1]],
          penalizedTokens: null,
        },
        maxTokens: 3,
        stop: ['x'],
        stopTokenIds: [5],
        ignoreEog: true,
        priority: 'background',
        speculation: null,
      },
      stream: true,
      includeUsage: true,
      continuousUsage: true,
      ignored: [],
    });
  });

  it('may leave most things open', () => {
    const { requestId, model, input, stream } = parseInferenceRequest({
      ...{ token_ids: [1], sampling_params: {} },
    });
    expect({ requestId, model, stream }).toEqual({ requestId: null, model: null, stream: false });
    expect(input.maxTokens).toBeNull();
    expect(input.priority).toBe('normal');
    expect(input).not.toHaveProperty('promptLogprobs');
  });

  it("has vLLM's defaults, and not those of a model's file", () => {
    const open = { temperature: null, top_p: null, top_k: null, min_p: null, max_tokens: null };
    for (const sampling_params of [{}, open]) {
      const { input } = parseInferenceRequest({ token_ids: [1], sampling_params });
      expect(input).toMatchObject({ choices: 1, stop: [], stopTokenIds: [], ignoreEog: false });
      expect(input.maxTokens).toBeNull();
      expect(input.sampling).toEqual({
        ...{ temperature: 1, topP: 1, topK: 0, minP: 0, seed: null, logprobs: null },
        ...{ presencePenalty: 0, frequencyPenalty: 0, repeatPenalty: 1 },
        logitBias: [],
        penalizedTokens: null,
      });
    }
    // A zero is no default.
    const greedy = { temperature: 0, top_p: 0, min_p: 0, top_k: 1 };
    const { sampling } = parseInferenceRequest({ token_ids: [1], sampling_params: greedy }).input;
    expect(sampling).toMatchObject({ temperature: 0, topP: 0, minP: 0, topK: 1 });
  });

  it.each<[number, number | 'all']>([
    [-1, 'all'],
    [0, 0],
    [20, 20],
    [2 ** 40, 2 ** 31 - 1],
  ])('may be about the prompt: %j', (prompt_logprobs, asked) => {
    const { input } = parseInferenceRequest({ ...good, sampling_params: { prompt_logprobs } });
    expect(input.promptLogprobs).toBe(asked);
  });

  it("has no effect under another shape's names", () => {
    const others = { repeat_last_n: 'x', max_completion_tokens: 'x', speculation: 'x' };
    const { input, ignored } = parseInferenceRequest({
      ...{ token_ids: [1], sampling_params: others },
    });
    const plain = parseInferenceRequest({ token_ids: [1], sampling_params: {} });
    expect(input).toEqual(plain.input);
    expect(ignored).toEqual(Object.keys(others).map((name) => `sampling_params.${name}`));
  });

  it('is told where nobody knows it', () => {
    const { ignored } = parseInferenceRequest({
      ...{ token_ids: [1], foo: 1, sampling_params: { bar: 2 } },
      ...{ stream: true, stream_options: { include_usage: true, baz: 3 } },
    });
    expect(ignored).toEqual(['foo', 'stream_options.baz', 'sampling_params.bar']);
  });

  it('has the usage in every chunk only where it has it at all', () => {
    const stream_options = { continuous_usage_stats: true };
    const asked = parseInferenceRequest({ ...good, stream: true, stream_options });
    expect(asked.continuousUsage).toBe(false);
  });
});

describe('what is malformed', () => {
  it.each<[string, object]>([
    ['token_ids', { token_ids: undefined }],
    ['token_ids', { token_ids: [] }],
    ['token_ids', { token_ids: [-1] }],
    ['token_ids', { token_ids: [1.5] }],
    ['token_ids', { token_ids: 'Hi.' }],
    ['sampling_params', { sampling_params: undefined }],
    ['sampling_params', { sampling_params: [] }],
    ['sampling_params', { sampling_params: { max_tokens: 0 } }],
    ['sampling_params', { sampling_params: { temperature: -1 } }],
    ['sampling_params', { sampling_params: { top_k: -2 } }],
    ['sampling_params', { sampling_params: { logprobs: 21 } }],
    ['sampling_params', { sampling_params: { prompt_logprobs: -2 } }],
    ['sampling_params', { sampling_params: { prompt_logprobs: 0.5 } }],
    ['sampling_params', { sampling_params: { prompt_logprobs: true } }],
    ['sampling_params', { stream: true, sampling_params: { prompt_logprobs: 0 } }],
    ['sampling_params', { stream: true, sampling_params: { prompt_logprobs: -1 } }],
    ['sampling_params', { sampling_params: { stop_token_ids: [-1] } }],
    ['sampling_params', { sampling_params: { logit_bias: { x: 1 } } }],
    ['sampling_params', { sampling_params: { n: 0 } }],
    ['stream_options', { stream_options: {} }],
    ['stream_options', { stream: true, stream_options: { include_usage: 1 } }],
    ['stream_options', { stream: true, stream_options: { continuous_usage_stats: 'yes' } }],
    ['request_id', { request_id: '' }],
    ['priority', { priority: 'high' }],
  ])('is refused as %s: %j', (param, changes) => {
    expect(refusal({ ...good, ...changes })).toMatchObject({ status: 400, param });
  });

  it('is told to the letter', () => {
    expect(refusal({ token_ids: [1], sampling_params: { max_tokens: 0 } }).message).toBe(
      'sampling_params.max_tokens must be a whole number of at least 1; received 0.',
    );
    const streamed = { ...good, stream: true, sampling_params: { prompt_logprobs: 1 } };
    expect(refusal(streamed).message).toBe(
      'sampling_params.prompt_logprobs is not available in a stream: ask for it without "stream".',
    );
  });
});

describe('what is not available', () => {
  it.each<[string, object]>([
    ['sampling_params.min_tokens', { min_tokens: 2 }],
    ['sampling_params.bad_words', { bad_words: ['x'] }],
    ['sampling_params.structured_outputs', { structured_outputs: { json: {} } }],
  ])('is refused by name: %s', (param, sampling_params) => {
    expect(refusal({ ...good, sampling_params })).toMatchObject({
      ...{ status: 400, param, code: 'unsupported_parameter' },
    });
  });
});
