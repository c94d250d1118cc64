import { expect, it } from 'vitest';
import { understoodParametersSchema } from '../../protocol/inspector.js';
import { greedy } from '../generation/test-generation.js';
import { parseChatRequest } from '../openai/request.js';
import { withDefaults } from '../request/defaults.js';
import { understoodParameters } from './parameters.js';

const messages = [{ role: 'user', content: 'Hi.' }];

it('tells what was asked for in the words of the wire', () => {
  const schema = { type: 'object', properties: { a: { type: 'integer' } } };
  const { input } = parseChatRequest({
    messages,
    ...{ n: 2, max_tokens: 9, stop: ['x'], temperature: 0.5, top_p: 0.9, top_k: 5, min_p: 0.1 },
    ...{ presence_penalty: 0.5, frequency_penalty: -0.5, repeat_penalty: 1.1, repeat_last_n: 64 },
    ...{ seed: 7, logit_bias: { 300: -5 }, logprobs: true, top_logprobs: 2 },
    ...{ priority: 'background', speculation: 'ngram', parallel_tool_calls: false },
    response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
    tools: [{ type: 'function', function: { name: 'f', description: 'F.', parameters: schema } }],
    tool_choice: { type: 'function', function: { name: 'f' } },
    chat_template_kwargs: { enable_thinking: false, mood: ['calm'] },
  });
  const told = understoodParameters(withDefaults(input, {}));
  expect(understoodParametersSchema.parse(told)).toEqual(told);
  expect(told).toMatchObject({
    ...{ prompt: 'chat', n: 2, max_tokens: 9, stop: ['x'], stop_token_ids: [], ignore_eos: false },
    ...{ temperature: 0.5, top_p: 0.9, top_k: 5, min_p: 0.1, seed: 7 },
    ...{ presence_penalty: 0.5, frequency_penalty: -0.5, repeat_penalty: 1.1, repeat_last_n: 64 },
    ...{ logit_bias: { 300: -5 }, top_logprobs: 2, priority: 'background', speculation: 'ngram' },
    chat: {
      ...{ enable_thinking: false, continue_final_message: false, parallel_tool_calls: false },
      tools: [{ name: 'f', description: 'F.', parameters: schema, strict: false }],
      tool_choice: { name: 'f' },
      chat_template_kwargs: { mood: ['calm'] },
    },
  });
  expect(told.grammar).toMatchObject({ type: 'json_schema', schema });
});

it('says null for what the model or the server decides', () => {
  const { input } = parseChatRequest({ messages });
  expect(understoodParameters(withDefaults(input, {}))).toMatchObject({
    ...{ temperature: null, top_p: null, top_k: null, min_p: null, max_tokens: null, seed: null },
    ...{ top_logprobs: null, prompt_logprobs: null, grammar: null, speculation: null },
  });
});

it('knows each kind of grammar, and prompts that are no chats', () => {
  const asked = greedy({ kind: 'tokens', tokenIds: [1] }, 1);
  expect(understoodParameters(asked)).toMatchObject({ prompt: 'tokens', chat: null });
  expect(understoodParameters({ ...asked, promptLogprobs: 3 }).prompt_logprobs).toBe(3);
  expect(understoodParameters({ ...asked, promptLogprobs: 'all' }).prompt_logprobs).toBe(-1);
  const json = { ...asked, grammar: { kind: 'json_object' as const } };
  expect(understoodParameters(json).grammar).toEqual({ type: 'json_object' });
  const gbnf = { ...asked, grammar: { kind: 'gbnf' as const, text: 'root ::= "a"' } };
  expect(understoodParameters(gbnf).grammar).toEqual({ type: 'gbnf', grammar: 'root ::= "a"' });
});
