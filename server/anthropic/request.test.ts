import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../http/errors.js';
import { parseCountTokensRequest, parseMessagesRequest } from './request.js';

const BASE = { max_tokens: 2000, messages: [{ role: 'user', content: 'Hi.' }] };
const parse = (change: object = {}) => parseMessagesRequest({ ...BASE, ...change });
const tools = [{ name: 'look', description: 'Looks.', input_schema: { type: 'object' } }];

describe('a request', () => {
  it('leaves sampling to the model where nothing is said', () => {
    const { input, stream, model, ignored } = parse();
    expect({ stream, model, ignored }).toEqual({ stream: false, model: null, ignored: [] });
    expect(input).toMatchObject({ maxTokens: 2000, stop: [], choices: 1, grammar: null });
    expect(input.sampling).toMatchObject({ temperature: null, topP: null, topK: null });
  });

  it('hands its parameters on', () => {
    const { input } = parse({
      temperature: 0.5,
      top_p: 0.9,
      top_k: 3,
      stop_sequences: ['a', 'b', 'c', 'd', 'e'],
    });
    expect(input.stop).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(input.sampling).toMatchObject({ temperature: 0.5, topP: 0.9, topK: 3 });
  });

  it('thinks where it says so, and says what is not enforced', () => {
    const thinks = (thinking: unknown) => parse({ thinking }).prompt.enableThinking;
    expect([undefined, null, { type: 'disabled' }].map(thinks)).toEqual([false, false, false]);
    expect(thinks({ type: 'adaptive' })).toBe(true);
    const enabled = parse({ thinking: { type: 'enabled', budget_tokens: 1024 } });
    expect(enabled.prompt.enableThinking).toBe(true);
    expect(enabled.ignored).toEqual(['thinking.budget_tokens']);
  });

  it('has an effort that templates know', () => {
    const variables = (effort: string) =>
      parse({ output_config: { effort } }).prompt.templateKwargs;
    expect(variables('low')).toEqual({ reasoning_effort: '"low"' });
    expect(variables('max')).toEqual({ reasoning_effort: '"high"' });
  });

  it('holds an answer to its schema under either name', () => {
    const format = { type: 'json_schema', schema: { type: 'object' } };
    const grammar = { kind: 'json_schema', schema: '{"type":"object"}' };
    expect(parse({ output_config: { format } }).input.grammar).toEqual(grammar);
    expect(parse({ output_format: format }).input.grammar).toEqual(grammar);
  });

  it('chooses among its tools', () => {
    const chosen = (tool_choice: unknown) => {
      const {
        toolChoice,
        parallelToolCalls,
        tools: offered,
      } = parse({ tools, tool_choice }).prompt;
      return [toolChoice, parallelToolCalls, offered.length];
    };
    expect(chosen(null)).toEqual(['auto', true, 1]);
    expect(chosen({ type: 'any' })).toEqual(['required', true, 1]);
    expect(chosen({ type: 'none' })).toEqual(['none', true, 0]);
    const one = { type: 'tool', name: 'look', disable_parallel_tool_use: true };
    expect(chosen(one)).toEqual([{ name: 'look' }, false, 1]);
    expect(() => chosen({ type: 'tool', name: 'other' })).toThrow(/"other"/);
  });

  it('shows the examples of a tool to the model', () => {
    const [tool] = parse({ tools: [{ ...tools[0], input_examples: [{ at: 1 }] }] }).prompt.tools;
    expect(tool?.description).toBe('Looks.\n\nExamples of its input:\n{"at":1}');
  });

  it.each([
    [{}, false],
    [{ cache_control: { type: 'ephemeral' } }, true],
    [{ tools: [{ ...tools[0], cache_control: { type: 'ephemeral' } }] }, true],
    [{ system: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }] }, true],
    [{ system: [{ type: 'text', text: 'a', cache_control: null }] }, false],
  ])('asks for the cache wherever it does: %j', (change, asks) => {
    expect(parse(change).telling.tellsCache).toBe(asks);
  });

  it('of any shape is read or refused', () => {
    const key = fc.constantFrom(
      ...['type', 'text', 'content', 'role', 'id', 'name', 'input', 'tool_use_id', 'thinking'],
      ...['system', 'messages', 'tools', 'tool_choice', 'output_config', 'context_management'],
      ...['edits', 'input_schema', 'cache_control', 'container', 'thread', 'max_tokens'],
    );
    const word = fc.constantFrom(
      ...['user', 'assistant', 'system', 'text', 'tool_use', 'tool_result', 'thinking', 'custom'],
      ...['enabled', 'adaptive', 'auto', 'any', 'tool', 'json_schema', 'image', ''],
    );
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        word,
        fc.constantFrom(null, true, 0, 1, 1024, 0.5),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(key, tie('value'), { maxKeys: 5 }),
      ),
    }));
    const block = fc.dictionary(key, value, { maxKeys: 4 });
    const message = fc.record({
      role: fc.constantFrom('user', 'assistant', 'system'),
      content: fc.oneof(
        word,
        fc.array(fc.record({ type: word, text: word }), { maxLength: 3 }),
        fc.array(block),
      ),
    });
    const body = fc.record({
      max_tokens: fc.constantFrom(0, 5, 2000),
      messages: fc.array(message, { minLength: 1, maxLength: 4 }),
    });
    fc.assert(
      fc.property(body, fc.dictionary(key, value, { maxKeys: 2 }), (base, change) => {
        for (const read of [parseMessagesRequest, parseCountTokensRequest]) {
          try {
            read({ ...base, ...change });
          } catch (error) {
            if (!(error instanceof ApiError)) throw error;
            expect(error.status).toBe(400);
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});
