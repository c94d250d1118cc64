import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../http/errors.js';
import { parseResponseRequest } from './request.js';

function refusal(body: unknown): ApiError {
  try {
    parseResponseRequest(body);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error(`not refused: ${JSON.stringify(body)}`);
}

const FUNCTION = { type: 'function', name: 'f', parameters: {} };

describe('refusals', () => {
  it.each<[param: string, body: object]>([
    ['input', {}],
    ['input', { input: [] }],
    ['input', { input: 5 }],
    ['input[0]', { input: ['Hi.'] }],
    ['input[0].role', { input: [{ content: 'Hi.' }] }],
    [
      'input[1].role',
      {
        input: [
          { role: 'user', content: '' },
          { role: 'tool', content: '' },
        ],
      },
    ],
    ['input[0].content', { input: [{ role: 'user' }] }],
    ['input[0].content', { input: [{ role: 'user', content: [] }] }],
    [
      'input[0].content[0].image_url',
      { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'http://x/' }] }] },
    ],
    [
      'input[0].output[0].type',
      {
        input: [{ type: 'function_call_output', call_id: 'a', output: [{ type: 'input_file' }] }],
      },
    ],
    ['input[0].call_id', { input: [{ type: 'function_call', name: 'f', arguments: '' }] }],
    ['input[0].type', { input: [{ type: 'computer_call' }] }],
    ['instructions', { input: 'a', instructions: 5 }],
    ['tools', { input: 'a', tools: [{}] }],
    ['tools[0].type', { input: 'a', tools: [{ type: 'web_search' }] }],
    ['tools[1].type', { input: 'a', tools: [FUNCTION, { type: 'mcp', server_url: 'http://x/' }] }],
    ['tools[0].name', { input: 'a', tools: [{ type: 'function', name: 'a b' }] }],
    ['tools', { input: 'a', tools: [FUNCTION, FUNCTION] }],
    ['tool_choice', { input: 'a', tool_choice: { type: 'file_search' } }],
    ['tool_choice', { input: 'a', tool_choice: 'required' }],
    [
      'tool_choice',
      { input: 'a', tools: [FUNCTION], tool_choice: { type: 'function', name: 'g' } },
    ],
    ['text.format', { input: 'a', text: { format: { type: 'xml' } } }],
    ['text.format', { input: 'a', text: { format: { type: 'json_schema', name: 'a' } } }],
    ['reasoning.effort', { input: 'a', reasoning: { effort: 'much' } }],
    ['max_output_tokens', { input: 'a', max_output_tokens: 0 }],
    ['temperature', { input: 'a', temperature: 3 }],
    ['top_logprobs', { input: 'a', top_logprobs: 21 }],
    ['include', { input: 'a', include: ['everything'] }],
    ['metadata', { input: 'a', metadata: { a: 1 } }],
    ['stream_options', { input: 'a', stream_options: {} }],
    ['background', { input: 'a', background: true }],
    ['truncation', { input: 'a', truncation: 'auto' }],
    ['conversation', { input: 'a', conversation: 'conv_1' }],
    ['prompt', { input: 'a', prompt: { id: 'pmpt_1' } }],
    ['messages', { input: 'a', messages: [] }],
    ['max_tokens', { input: 'a', max_tokens: 5 }],
    ['response_format', { input: 'a', response_format: { type: 'json_object' } }],
    ['n', { input: 'a', n: 2 }],
  ])('name %s', (param, body) => {
    const error = refusal(body);
    expect(error).toMatchObject({ status: 400, param });
    expect(error.message).toMatch(/^["A-Za-z].*\.$/s);
  });

  it('are all there is, whatever comes', () => {
    fc.assert(
      fc.property(
        fc.record(
          {
            input: fc.oneof(fc.string(), fc.jsonValue(), fc.array(fc.jsonValue())),
            tools: fc.oneof(fc.array(fc.jsonValue()), fc.jsonValue()),
            tool_choice: fc.jsonValue(),
            text: fc.jsonValue(),
            include: fc.jsonValue(),
          },
          { requiredKeys: ['input'] },
        ),
        (body) => {
          try {
            parseResponseRequest(body);
          } catch (error) {
            expect(error).toBeInstanceOf(ApiError);
          }
        },
      ),
    );
  });
});

describe('what is asked', () => {
  it('takes null for the default everywhere', () => {
    const { settings, stream } = parseResponseRequest({
      ...{ input: 'a', store: null, stream: null, tools: null, tool_choice: null, text: null },
      ...{ include: null, reasoning: null, metadata: null, truncation: null, background: null },
      ...{ top_p: null, max_output_tokens: null, parallel_tool_calls: null, instructions: null },
    });
    expect(stream).toBe(false);
    expect(settings).toMatchObject({
      ...{ store: true, tools: [], tool_choice: 'auto', text: { format: { type: 'text' } } },
      ...{ metadata: {}, parallel_tool_calls: true, reasoning: { effort: null } },
    });
  });

  it('reaches the engine', () => {
    const schema = { type: 'object' };
    const { toInput, items } = parseResponseRequest({
      input: 'a',
      ...{ max_output_tokens: 7, temperature: 0, top_p: 0.5, seed: 3, top_k: 9, stop: ['x'] },
      ...{ tools: [FUNCTION], parallel_tool_calls: false, priority: 'background' },
      ...{ reasoning: { effort: 'high' }, top_logprobs: 2 },
      text: { format: { type: 'json_schema', name: 'n', schema } },
    });
    expect(toInput(items as never)).toMatchObject({
      ...{ maxTokens: 7, stop: ['x'], priority: 'background' },
      sampling: { temperature: 0, topP: 0.5, topK: 9, seed: 3, logprobs: 2 },
      grammar: { kind: 'json_schema', schema: JSON.stringify(schema) },
      prompt: {
        messages: [{ role: 'user', content: 'a' }],
        tools: [{ name: 'f', description: '', parameters: '{}', strict: false }],
        parallelToolCalls: false,
        enableThinking: true,
        templateKwargs: { reasoning_effort: '"high"' },
      },
    });
  });

  it('may be nothing new where it goes on from a response', () => {
    expect(parseResponseRequest({ previous_response_id: 'resp_1' }).items).toEqual([]);
  });

  it('accepts what cannot change the answer, and tells what nobody knows', () => {
    const { ignored } = parseResponseRequest({
      ...{ input: 'a', user: 'me', safety_identifier: 'x', prompt_cache_key: 'k', foo: 1 },
      ...{ service_tier: 'auto', include: ['reasoning.encrypted_content'], max_tool_calls: 3 },
      ...{ truncation: 'disabled', text: { verbosity: 'low' }, background: false },
      reasoning: { effort: 'low', summary: 'auto' },
    });
    expect(ignored).toEqual(['foo']);
  });
});
