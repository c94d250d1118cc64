import { describe, expect, it } from 'vitest';
import { errorBodySchema } from '../../protocol/openai.js';
import { GenerationError, type GenerationErrorCode } from '../generation/generation.js';
import { ApiError, modelNotFound, toApiError } from './errors.js';

describe('generation errors on the wire', () => {
  const expected: [GenerationErrorCode, number, string | null, string][] = [
    ['context_length_exceeded', 400, 'messages', 'context_length_exceeded'],
    ['invalid_prompt', 400, 'messages', 'invalid_prompt'],
    ['template_failed', 400, 'messages', 'template_failed'],
    ['invalid_grammar', 400, 'response_format', 'invalid_grammar'],
    ['invalid_tool', 400, 'tools', 'invalid_tool'],
    ['invalid_tool_choice', 400, 'tool_choice', 'invalid_tool_choice'],
    ['no_draft_model', 400, 'speculation', 'no_draft_model'],
    ['invalid_logit_bias', 400, 'logit_bias', 'invalid_logit_bias'],
    ['too_many_prompt_logprobs', 400, 'prompt_logprobs', 'too_many_prompt_logprobs'],
    ['not_a_gguf', 400, 'model', 'model_invalid'],
    ['truncated', 400, 'model', 'model_invalid'],
    ['unsupported_architecture', 400, 'model', 'model_invalid'],
    ['bad_chat_template', 400, 'model', 'model_invalid'],
    ['not_generative', 400, 'model', 'not_generative'],
    ['not_embedding', 400, 'model', 'not_embedding'],
    ['not_rerank', 400, 'model', 'not_rerank'],
    ['file_unreadable', 400, 'model', 'model_invalid'],
    ['model_invalid', 400, 'model', 'model_invalid'],
    ['queue_full', 429, null, 'queue_full'],
    ['engine_failed', 500, null, 'engine_failed'],
    ['engine_crashed', 503, null, 'engine_crashed'],
    ['out_of_memory', 503, null, 'out_of_memory'],
    ['load_failed', 400, 'model', 'load_failed'],
    ['cancelled', 503, 'model', 'load_cancelled'],
    ['shutting_down', 503, null, 'shutting_down'],
  ];

  it.each(expected)('%s is %i', (code, status, param, wireCode) => {
    const answer = toApiError(new GenerationError(code, 'Why it failed.'));
    expect(answer.status).toBe(status);
    expect(errorBodySchema.strict().parse(answer.body()).error).toMatchObject({
      message: 'Why it failed.',
      param,
      code: wireCode,
    });
  });

  it('says when a full queue is worth another try', () => {
    expect(toApiError(new GenerationError('queue_full', 'Full.', 2.2)).headers).toEqual({
      'retry-after': '3',
    });
    expect(toApiError(new GenerationError('queue_full', 'Full.')).headers).toEqual({
      'retry-after': '1',
    });
    expect(toApiError(new GenerationError('invalid_prompt', 'No.')).headers).toEqual({});
  });
});

describe('other errors', () => {
  it('tells nothing about the inside of an unexpected one', () => {
    const answer = toApiError(new TypeError('secret is undefined'));
    expect(answer.status).toBe(500);
    expect(answer.message).not.toContain('secret');
  });

  it('keeps the status of HTTP errors below 500 and ends their message as a sentence', () => {
    const answer = toApiError(Object.assign(new Error('request aborted'), { status: 400 }));
    expect([answer.status, answer.message]).toEqual([400, 'Request aborted.']);
  });

  it('has all four keys, null where there is nothing to say', () => {
    expect(new ApiError(404, 'Not here.').body()).toEqual({
      error: { message: 'Not here.', type: 'invalid_request_error', param: null, code: null },
    });
  });

  it('names the models there are, but not hundreds of them', () => {
    const many = Array.from({ length: 300 }, (_, i) => `model-${i}`);
    expect(modelNotFound('x', ['a', 'b']).message).toBe(
      'There is no model "x". Available: "a", "b".',
    );
    expect(modelNotFound('x', many).message).toMatch(/"model-19", …\.$/);
    expect(modelNotFound(null, []).message).toContain('models folder');
  });
});
