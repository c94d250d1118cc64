import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../http/errors.js';
import { ignoredHeader } from '../request/parameters.js';
import { type ChatRequest, parseChatRequest } from './request.js';

const MESSAGES = [{ role: 'user', content: 'Hi.' }];
const parse = (extra: Record<string, unknown>): ChatRequest =>
  parseChatRequest({ messages: MESSAGES, ...extra });

function refusal(body: unknown): { param: string | null; message: string } {
  try {
    parseChatRequest(body);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect(error.status).toBe(400);
    return { param: error.param, message: error.message };
  }
  throw new Error('nothing was refused');
}

describe('defaults', () => {
  const DEFAULTS: ChatRequest = {
    model: null,
    input: {
      prompt: {
        kind: 'chat',
        messages: [{ role: 'user', content: 'Hi.' }],
        enableThinking: true,
        continueFinalMessage: false,
        tools: [],
        toolChoice: 'auto',
        parallelToolCalls: true,
        templateKwargs: {},
      },
      grammar: null,
      sampling: {
        temperature: null,
        topP: null,
        topK: null,
        minP: null,
        presencePenalty: null,
        frequencyPenalty: null,
        repeatPenalty: null,
        penalizedTokens: null,
        seed: null,
        logitBias: [],
        logprobs: null,
      },
      maxTokens: null,
      fallbackTokens: null,
      stop: [],
      priority: 'normal',
      speculation: null,
      choices: 1,
    },
    stream: false,
    includeUsage: false,
    ignored: [],
    wishes: { thinking: [], context: null },
  };

  it('hold where nothing is said', () => {
    expect(parse({})).toEqual(DEFAULTS);
  });

  it('hold where null is said', () => {
    const names = [
      ...['model', 'stream', 'stream_options', 'max_tokens', 'max_completion_tokens'],
      ...['temperature', 'top_p', 'top_k', 'min_p', 'presence_penalty', 'frequency_penalty'],
      ...['repeat_penalty', 'seed', 'stop', 'logit_bias', 'n', 'chat_template_kwargs', 'user'],
      ...['tools', 'tool_choice', 'functions', 'function_call', 'response_format', 'logprobs'],
      ...['top_logprobs', 'audio', 'modalities', 'prediction', 'web_search_options'],
      ...['reasoning_effort', 'metadata', 'parallel_tool_calls', 'store', 'service_tier'],
    ];
    expect(parse(Object.fromEntries(names.map((name) => [name, null])))).toEqual(DEFAULTS);
  });
});

describe('values', () => {
  it('that are falsy are values all the same', () => {
    const { sampling } = parse({
      temperature: 0,
      top_p: 0,
      top_k: 0,
      min_p: 0,
      seed: 0,
      logit_bias: { 0: 0 },
    }).input;
    expect(sampling).toMatchObject({
      temperature: 0,
      topP: 0,
      topK: 0,
      minP: 0,
      seed: 0,
      logitBias: [[0, 0]],
    });
  });

  it('of all honoured parameters arrive', () => {
    const request = parse({
      model: 'm',
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 5,
      presence_penalty: -2,
      frequency_penalty: 2,
      repeat_penalty: 1.5,
      stop: 'end',
      logit_bias: { 12: -100, 7: 0.5 },
      chat_template_kwargs: { enable_thinking: false },
    });
    expect(request).toMatchObject({ model: 'm', stream: true, includeUsage: true });
    expect(request.input).toMatchObject({ maxTokens: 5, stop: ['end'] });
    expect(request.input.prompt).toMatchObject({ enableThinking: false });
    expect(request.input.sampling).toMatchObject({
      presencePenalty: -2,
      frequencyPenalty: 2,
      repeatPenalty: 1.5,
      logitBias: [
        [7, 0.5],
        [12, -100],
      ],
    });
  });

  it('of max_completion_tokens go before the older max_tokens', () => {
    expect(parse({ max_tokens: 5, max_completion_tokens: 9 }).input.maxTokens).toBe(9);
  });

  it.each([
    [-1, 2 ** 32 - 2],
    [2 ** 32 - 1, 0],
    [Number.MAX_SAFE_INTEGER, 2_097_151],
    [7, 7],
  ])('of seeds are brought into the range of the engine: %i → %i', (seed, expected) => {
    expect(parse({ seed }).input.sampling.seed).toBe(expected);
  });

  it('of reasoning_effort switch reasoning off, or leave it', () => {
    const thinks = (extra: Record<string, unknown>) =>
      (parse(extra).input.prompt as { enableThinking: boolean }).enableThinking;
    expect(thinks({ reasoning_effort: 'none' })).toBe(false);
    expect(thinks({ reasoning_effort: 'high' })).toBe(true);
  });
});

describe('refusals name the parameter', () => {
  it.each<[string, unknown]>([
    ['temperature', 2.1],
    ['temperature', -0.1],
    ['temperature', '1'],
    ['top_p', 1.1],
    ['top_k', -1],
    ['top_k', 1.5],
    ['min_p', 2],
    ['presence_penalty', 3],
    ['frequency_penalty', -3],
    ['repeat_penalty', 0],
    ['max_tokens', 0],
    ['max_tokens', 1.5],
    ['max_completion_tokens', -1],
    ['n', 0],
    ['n', 129],
    ['stop', ''],
    ['stop', ['a', '']],
    ['stop', ['a', 'b', 'c', 'd', 'e']],
    ['stop', 5],
    ['seed', 'x'],
    ['seed', 0.5],
    ['logit_bias', { x: 1 }],
    ['logit_bias', { '-1': 1 }],
    ['logit_bias', { 5: 101 }],
    ['logit_bias', { 5: 'x' }],
    ['logit_bias', [1]],
    ['stream', 'true'],
    ['stream_options', { include_usage: true }],
    ['model', 5],
    ['messages', []],
    ['messages', 'Hi.'],
    ['tools', [{ type: 'function', function: {} }]],
    ['tools', [{ type: 'custom', custom: { name: 'f' } }]],
    ['tools', [{ type: 'function', function: { name: 'two words' } }]],
    ['tools', {}],
    ['tool_choice', 'always'],
    ['tool_choice', 'required'],
    ['tool_choice', { type: 'function', function: { name: 'f' } }],
    ['functions', [{ name: 'f' }]],
    ['function_call', { name: 'f' }],
    ['response_format', { type: 'xml' }],
    ['response_format', { type: 'json_schema' }],
    ['response_format', 'json'],
    ['logprobs', 2],
    ['top_logprobs', 2],
    ['top_logprobs', 21],
    ['parallel_tool_calls', 'no'],
    ['audio', { voice: 'x', format: 'wav' }],
    ['modalities', ['text', 'audio']],
    ['prediction', { type: 'content', content: 'x' }],
    ['web_search_options', {}],
    ['grammar', 'root ::= "x"'],
    ['guided_json', {}],
    ['reasoning_effort', 'most'],
    ['chat_template_kwargs', 'x'],
    ['chat_template_kwargs', { 'no name': 1 }],
    ['chat_template_kwargs', { '\0': 1 }],
  ])('%s: %j', (name, value) => {
    const { param, message } = refusal({ messages: MESSAGES, [name]: value });
    expect(param).toBe(name);
    expect(message).toMatch(new RegExp(`${name}.*\\.$`, 's'));
  });

  it.each<[unknown, string]>([
    [{ role: 'boss', content: 'x' }, 'messages[1].role'],
    [{ content: 'x' }, 'messages[1].role'],
    [{ role: 'user', content: 5 }, 'messages[1].content'],
    [{ role: 'user', content: [5] }, 'messages[1].content'],
    ['Hi.', 'messages[1]'],
    [null, 'messages[1]'],
  ])('message %j: %s', (message, param) => {
    expect(refusal({ messages: [...MESSAGES, message] }).param).toBe(param);
  });

  it('nested ones too', () => {
    const nested = { messages: MESSAGES, stream: true, stream_options: { include_usage: 1 } };
    expect(refusal(nested).param).toBe('stream_options.include_usage');
  });

  it('and what it takes', () => {
    expect(refusal({ messages: MESSAGES, temperature: 3 }).message).toBe(
      'temperature must be a number from 0 to 2; received 3.',
    );
    expect(refusal({}).message).toBe(
      '"messages" is missing: a list of at least one message is needed.',
    );
  });

  it.each([null, [], 'x', 5, undefined])('or the body: %j', (body) => {
    expect(refusal(body).param).toBeNull();
  });
});

it('a schema that is missing is named by its place', () => {
  const response_format = { type: 'json_schema', json_schema: { name: 'x' } };
  expect(refusal({ messages: MESSAGES, response_format }).param).toBe(
    'response_format.json_schema.schema',
  );
});

describe('what shapes the answer', () => {
  it('arrives: tools, schema, choices, log probabilities, template variables', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const { input, ignored } = parse({
      n: 3,
      logprobs: true,
      top_logprobs: 2,
      response_format: { type: 'json_schema', json_schema: { name: 'x', strict: true, schema } },
      tools: [{ type: 'function', function: { name: 'look', strict: true } }],
      tool_choice: 'required',
      parallel_tool_calls: false,
      reasoning_effort: 'low',
      chat_template_kwargs: { enable_thinking: false, style: { short: true } },
    });
    expect(ignored).toEqual([]);
    expect(input).toMatchObject({
      choices: 3,
      grammar: { kind: 'json_schema', schema: JSON.stringify(schema) },
      sampling: { logprobs: 2 },
      prompt: {
        tools: [{ name: 'look', description: '', parameters: '{}', strict: true }],
        toolChoice: 'required',
        parallelToolCalls: false,
        enableThinking: false,
        templateKwargs: { reasoning_effort: '"low"', style: '{"short":true}' },
      },
    });
    expect(parse({ response_format: { type: 'json_object' } }).input.grammar).toEqual({
      kind: 'json_object',
    });
    expect(parse({ logprobs: true }).input.sampling.logprobs).toBe(0);
  });
});

describe('what asks for nothing special', () => {
  it.each<[string, unknown]>([
    ['tools', []],
    ['tool_choice', 'none'],
    ['tool_choice', 'auto'],
    ['response_format', { type: 'text' }],
    ['logprobs', false],
    ['n', 1],
    ['modalities', ['text']],
    ['user', 'me'],
    ['metadata', { a: 'b' }],
    ['store', true],
    ['service_tier', 'auto'],
    ['safety_identifier', 'x'],
    ['prompt_cache_key', 'x'],
    ['verbosity', 'low'],
    ['parallel_tool_calls', false],
  ])('%s: %j is fine, and not called ignored', (name, value) => {
    expect(parse({ [name]: value }).ignored).toEqual([]);
  });
});

describe('unknown fields', () => {
  it('are listed, nested ones with their place', () => {
    const { ignored } = parse({
      foo: 1,
      stream: true,
      stream_options: { include_obfuscation: false, bar: 1 },
    });
    expect(ignored).toEqual(['foo', 'stream_options.bar']);
  });

  it('make a header that is safe whatever they are called', () => {
    expect(ignoredHeader([])).toBeNull();
    expect(ignoredHeader(['foo', 'b är\r\nx: y'])).toBe('foo, b%20%C3%A4r%0D%0Ax%3A%20y');
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), (names) => {
        expect(ignoredHeader(names)).toMatch(/^[\w.%, -]{0,1003}$/);
      }),
    );
  });
});

it('answers any JSON with a request or a 400, never with another error', () => {
  const value = fc.jsonValue({ maxDepth: 3 });
  const names = fc.constantFrom(
    'messages',
    'stop',
    'logit_bias',
    'stream_options',
    'seed',
    'tools',
  );
  fc.assert(
    fc.property(fc.dictionary(names, value), value, (fields, message) => {
      for (const body of [fields, { ...fields, messages: [message] }, message]) {
        try {
          parseChatRequest(body);
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
        }
      }
    }),
    { numRuns: 500 },
  );
});

describe('numbers beyond what the engine counts in', () => {
  it('max_tokens above 32 bits means as many as fit', () => {
    const { input } = parseChatRequest({ messages: MESSAGES, max_tokens: 2 ** 32 + 1 });
    expect(input.maxTokens).toBe(2 ** 31 - 1);
  });

  it('a 64-bit seed is a seed', () => {
    const { input } = parseChatRequest({ messages: MESSAGES, seed: 2 ** 63 });
    expect(input.sampling.seed).toBeGreaterThanOrEqual(0);
    expect(input.sampling.seed).toBeLessThan(2 ** 32 - 1);
  });
});
