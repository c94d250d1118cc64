/** The routes that take a body, each with good bodies to begin from and the shape of its dialect's errors. */
import type { z } from 'zod';
import { anthropicErrorSchema } from '../../protocol/anthropic.js';
import { ollamaErrorSchema } from '../../protocol/ollama.js';
import { errorBodySchema } from '../../protocol/openai.js';
import { TOOL_CALL } from '../../scripts/test-models/scripts.js';
import { user } from '../test-server.js';

export interface FuzzRoute {
  path: string;
  bodies: readonly object[];
  /** Of an answer that is no success. */
  failure: z.ZodType;
  /** Good bodies are refused too: there is nothing here that could be done. */
  refuses: boolean;
}

const openaiFailure = errorBodySchema.strict();
const anthropicFailure = anthropicErrorSchema.strict();
const ollamaFailure = ollamaErrorSchema.strict();

const FEW = { max_tokens: 3 };

const SCHEMA = {
  type: 'object',
  properties: {
    kind: { enum: ['a', 'b', 3, null] },
    text: { type: 'string', minLength: 1, maxLength: 3, pattern: '^[a-z]{1,3}$' },
    list: { type: 'array', items: { $ref: '#/$defs/item' }, minItems: 1, maxItems: 2 },
    either: { anyOf: [{ type: 'integer', minimum: 1, maximum: 9 }, { type: 'boolean' }] },
  },
  required: ['kind', 'text'],
  additionalProperties: false,
  $defs: { item: { type: 'number' } },
};

const TOOLS = [
  {
    type: 'function',
    function: {
      name: TOOL_CALL.name,
      description: 'The weather in a city.',
      parameters: {
        type: 'object',
        properties: { city: { type: 'string', maxLength: 5 } },
        required: ['city'],
      },
      strict: true,
    },
  },
];

const CONVERSATION = [
  { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
  user('What is the weather in Rome?'),
  {
    role: 'assistant',
    content: null,
    tool_calls: [
      {
        id: 'call_1',
        type: 'function',
        function: { name: TOOL_CALL.name, arguments: JSON.stringify(TOOL_CALL.arguments) },
      },
    ],
  },
  { role: 'tool', tool_call_id: 'call_1', content: 'Sunny.' },
];

const CHATS = [
  { model: 'random', messages: [user('Hi.')], stream: true, ...FEW },
  {
    model: 'random',
    messages: [user('Hi.')],
    ...FEW,
    n: 2,
    temperature: 0.7,
    top_p: 0.9,
    top_k: 5,
    min_p: 0.1,
    presence_penalty: 0.5,
    frequency_penalty: -0.5,
    repeat_penalty: 1.1,
    seed: 7,
    stop: ['x', 'yz'],
    logit_bias: { 300: -5 },
    logprobs: true,
    top_logprobs: 2,
    priority: 'background',
    speculation: 'off',
  },
  {
    model: 'random',
    messages: [user('Hi.')],
    ...FEW,
    stream: true,
    stream_options: { include_usage: true },
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'x', strict: true, schema: SCHEMA },
    },
  },
  {
    model: 'toolcall',
    messages: CONVERSATION,
    max_completion_tokens: 3,
    tools: TOOLS,
    tool_choice: { type: 'function', function: { name: TOOL_CALL.name } },
    parallel_tool_calls: false,
    stream: true,
    chat_template_kwargs: { enable_thinking: false, other: 1 },
  },
  { model: 'toolcall', messages: CONVERSATION, tools: TOOLS, tool_choice: 'auto', max_tokens: 20 },
];

const COMPLETIONS = [
  { model: 'random', prompt: 'Once', ...FEW, stream: true },
  {
    model: 'random',
    prompt: [[300, 301], [302]],
    ...FEW,
    n: 2,
    logprobs: 2,
    stop: 'x',
    temperature: 0,
  },
  { model: 'random', prompt: ['a', 'b'], ...FEW, response_format: { type: 'json_object' } },
  { model: 'random', prompt: 'Once', ...FEW, echo: true },
];

const INFERENCES = [
  { model: 'random', token_ids: [300, 301], sampling_params: FEW, stream: true },
  {
    model: 'random',
    request_id: 'mine',
    token_ids: [300, 301, 302],
    sampling_params: {
      ...FEW,
      n: 2,
      temperature: 0.7,
      top_p: 0.9,
      top_k: -1,
      min_p: 0.1,
      seed: 7,
      stop: ['x'],
      stop_token_ids: [40, 41],
      ignore_eos: true,
      logprobs: 2,
      presence_penalty: 0.5,
      repetition_penalty: 1.1,
      logit_bias: { 300: -5 },
    },
    stream: true,
    stream_options: { include_usage: true, continuous_usage_stats: true },
    priority: -1,
  },
  { model: 'random', token_ids: [300, 301, 302], sampling_params: { ...FEW, prompt_logprobs: -1 } },
  {
    model: 'random',
    token_ids: [300, 301, 302, 303],
    sampling_params: { ...FEW, n: 2, logprobs: 1, prompt_logprobs: 2 },
  },
];

const GENERATES = [
  { model: 'random', prompt: 'Once', ...FEW, stream: true },
  { model: 'random', token_ids: [300, 301], ...FEW, stop_token_ids: [40], ignore_eos: true },
  { model: 'random', messages: [user('Hi.')], ...FEW, stop: 'x', seed: 3, stream: true },
];

const EMBEDDINGS = [
  { model: 'embed', input: ['one text', 'another'], encoding_format: 'base64', dimensions: 8 },
  { model: 'embed', input: [300, 301, 302] },
];

const RERANKS = [{ model: 'rerank', query: 'Which?', documents: ['a', { text: 'b' }], top_n: 1 }];

const CALL = { call_id: 'call_1', name: TOOL_CALL.name };

const RESPONSES = [
  { model: 'random', input: 'Hi.', stream: true, max_output_tokens: 3, store: false },
  {
    model: 'random',
    instructions: 'Be brief.',
    input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hi.' }] }],
    max_output_tokens: 3,
    include: ['message.output_text.logprobs'],
    top_logprobs: 2,
    metadata: { a: 'b' },
    store: true,
  },
  {
    model: 'random',
    input: 'Hi.',
    max_output_tokens: 3,
    stream: true,
    text: { format: { type: 'json_schema', name: 'x', strict: true, schema: SCHEMA } },
  },
  {
    model: 'toolcall',
    input: [
      { role: 'user', content: 'What is the weather in Rome?' },
      { type: 'function_call', ...CALL, arguments: JSON.stringify(TOOL_CALL.arguments) },
      { type: 'function_call_output', call_id: CALL.call_id, output: 'Sunny.' },
    ],
    tools: TOOLS.map(({ type, function: tool }) => ({ type, ...tool })),
    tool_choice: 'auto',
    parallel_tool_calls: false,
    reasoning: { effort: 'low' },
    max_output_tokens: 20,
    stream: true,
  },
];

const MESSAGES = [
  { model: 'random', messages: [user('Hi.')], stream: true, max_tokens: 3 },
  {
    model: 'random',
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi.' }] }],
    max_tokens: 3,
    temperature: 0.5,
    top_k: 5,
    top_p: 0.9,
    stop_sequences: ['x'],
    thinking: { type: 'disabled' },
    metadata: { user_id: 'me' },
  },
  {
    model: 'toolcall',
    messages: [
      user('What is the weather in Rome?'),
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'toolu_1', name: TOOL_CALL.name, input: {} }],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Sunny.' }],
      },
    ],
    tools: TOOLS.map(({ function: { name, parameters } }) => ({ name, input_schema: parameters })),
    tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    max_tokens: 20,
    stream: true,
  },
];

const OPTIONS = { num_predict: 3, temperature: 0.5, top_k: 5, stop: ['x'], seed: 3 };

const OLLAMA_CHATS = [
  { model: 'random', messages: [user('Hi.')], options: OPTIONS },
  { model: 'random', messages: [user('Hi.')], options: OPTIONS, stream: false, format: SCHEMA },
  {
    model: 'toolcall',
    messages: [
      user('What is the weather in Rome?'),
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ function: { name: TOOL_CALL.name, arguments: TOOL_CALL.arguments } }],
      },
      { role: 'tool', tool_name: TOOL_CALL.name, content: 'Sunny.' },
    ],
    tools: TOOLS,
    think: false,
    options: { num_predict: 20 },
  },
];

const OLLAMA_GENERATES = [
  { model: 'random', prompt: 'Once', system: 'Be brief.', options: OPTIONS, format: 'json' },
  { model: 'random', prompt: 'Once', raw: true, stream: false, options: { num_predict: 3 } },
];

const route = (
  path: string,
  bodies: readonly object[],
  failure: z.ZodType,
  refuses = false,
): FuzzRoute => ({ path, bodies, failure, refuses });

export const ROUTES: readonly FuzzRoute[] = [
  route('/v1/chat/completions', CHATS, openaiFailure),
  route('/v1/completions', COMPLETIONS, openaiFailure),
  route('/inference/v1/generate', INFERENCES, openaiFailure),
  route('/v1/generate', GENERATES, openaiFailure),
  route('/v1/embeddings', EMBEDDINGS, openaiFailure),
  route('/v1/rerank', RERANKS, openaiFailure),
  route('/v2/rerank', RERANKS, openaiFailure),
  ...['', '/v1'].flatMap((prefix) => [
    route(
      `${prefix}/tokenize`,
      [{ model: 'random', content: 'a b', with_pieces: true }],
      openaiFailure,
    ),
    route(`${prefix}/detokenize`, [{ model: 'random', tokens: [300, 301] }], openaiFailure),
    route(
      `${prefix}/apply-template`,
      [{ model: 'toolcall', messages: CONVERSATION, tools: TOOLS }],
      openaiFailure,
    ),
  ]),
  route('/v1/responses', RESPONSES, openaiFailure),
  route('/v1/responses/input_tokens', [{ model: 'random', input: 'Hi.' }], openaiFailure),
  route('/v1/responses/resp_1/cancel', [{}], openaiFailure, true),
  route('/v1/messages', MESSAGES, anthropicFailure),
  route(
    '/v1/messages/count_tokens',
    [{ model: 'random', messages: [user('Hi.')] }],
    anthropicFailure,
  ),
  route('/api/chat', OLLAMA_CHATS, ollamaFailure),
  route('/api/generate', OLLAMA_GENERATES, ollamaFailure),
  route(
    '/api/embed',
    [{ model: 'embed', input: ['a', 'b'], truncate: true, dimensions: 8 }],
    ollamaFailure,
  ),
  route('/api/embeddings', [{ model: 'embed', prompt: 'a' }], ollamaFailure),
  route('/api/show', [{ model: 'random' }], ollamaFailure),
  route('/api/pull', [{ model: 'random', stream: true }], ollamaFailure),
  route('/api/create', [{ model: 'new', from: 'random' }], ollamaFailure, true),
  route('/api/copy', [{ source: 'random', destination: 'new' }], ollamaFailure, true),
  route('/api/push', [{ model: 'random' }], ollamaFailure, true),
];
