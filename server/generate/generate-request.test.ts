import { describe, expect, it } from 'vitest';
import { ApiError } from '../http/errors.js';
import { parseGenerateRequest } from './generate-request.js';

function refusal(body: unknown): ApiError {
  try {
    parseGenerateRequest(body);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('not refused');
}

describe('the prompt', () => {
  it('is a text, token ids or a chat', () => {
    expect(parseGenerateRequest({ prompt: 'Hi' }).input.prompt).toEqual({
      kind: 'text',
      text: 'Hi',
    });
    expect(parseGenerateRequest({ token_ids: [1] }).input.prompt).toEqual({
      kind: 'tokens',
      tokenIds: [1],
    });
    const messages = [{ role: 'user', content: 'Hi' }];
    expect(parseGenerateRequest({ messages }).input.prompt).toMatchObject({
      kind: 'chat',
      messages,
      toolChoice: 'none',
    });
  });

  it('is there, and once', () => {
    expect(refusal({})).toMatchObject({ status: 400, param: 'prompt' });
    expect(refusal({ prompt: 'a', token_ids: [1] })).toMatchObject({ param: 'token_ids' });
    expect(refusal({ prompt: '', messages: [{ role: 'user', content: 'a' }] })).toMatchObject({
      param: 'messages',
    });
    expect(refusal({ token_ids: [] })).toMatchObject({ param: 'token_ids' });
  });
});

describe('what nobody knows', () => {
  it.each<[string, object]>([
    ['foo', { foo: 1 }],
    ['n', { n: 2 }],
    ['stream_options', { stream: true, stream_options: { include_usage: true } }],
    ['tools', { tools: [] }],
  ])('is refused by name: %s', (param, more) => {
    expect(refusal({ prompt: 'a', ...more })).toMatchObject({
      ...{ status: 400, param, code: 'unknown_parameter' },
      message: `There is no parameter "${param}" here.`,
    });
  });

  it('is refused in a message as well', () => {
    const messages = [{ role: 'user', content: 'a', foo: 1 }];
    expect(refusal({ messages })).toMatchObject({ param: 'messages[0].foo' });
  });
});

it('ranges are those of the other routes', () => {
  for (const [param, value] of Object.entries({
    ...{ max_tokens: 0, temperature: 3, top_p: 2, top_k: -1, seed: 0.5, stop: [''] },
    ...{ stop_token_ids: [-1], ignore_eos: 'yes', logit_bias: { x: 1 }, priority: 1 },
  })) {
    expect(refusal({ prompt: 'a', [param]: value })).toMatchObject({ status: 400, param });
  }
});
