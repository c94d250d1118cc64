// Thinking that is asked of a model that cannot: answered all the same, and said.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer, user } from '../test-server.js';

let test: TestServer;
beforeAll(async () => {
  test = await startTestServer({ models: ['scripted', 'thinking'] });
});
afterAll(() => test.close());
afterEach(() => test.idle());

const messages = [user('How many apples?')];
const chat = { messages };
const message = { messages, max_tokens: 2000 };

/** Route, body, what of it asks for thinking. */
const ASKING: [path: string, body: object, fields: string][] = [
  ['/v1/chat/completions', { ...chat, reasoning_effort: 'low' }, 'reasoning_effort'],
  [
    '/v1/chat/completions',
    { ...chat, chat_template_kwargs: { enable_thinking: true } },
    'chat_template_kwargs.enable_thinking',
  ],
  ['/v1/responses', { input: 'Hi.', reasoning: { effort: 'high' } }, 'reasoning.effort'],
  ['/v1/messages', { ...message, thinking: { type: 'adaptive' } }, 'thinking'],
  ['/v1/messages', { ...message, output_config: { effort: 'max' } }, 'output_config.effort'],
  ['/api/chat', { ...chat, think: true }, 'think'],
  ['/api/chat', { ...chat, think: 'medium' }, 'think'],
  ['/api/generate', { prompt: 'Hi.', think: true }, 'think'],
];

const NOT_ASKING: [path: string, body: object][] = [
  ['/v1/chat/completions', { ...chat, reasoning_effort: 'none' }],
  ['/v1/chat/completions', { ...chat, chat_template_kwargs: { enable_thinking: false } }],
  ['/v1/responses', { input: 'Hi.', reasoning: { effort: 'none' } }],
  ['/v1/messages', { ...message, thinking: { type: 'disabled' } }],
  ['/api/chat', { ...chat, think: false }],
  ['/api/generate', { prompt: 'Hi.', think: false }],
];

async function ignoredOf(path: string, body: object): Promise<string | null> {
  const response = await test.post(path, body);
  expect(response.status).toBe(200);
  await response.text();
  return response.headers.get('x-pilotlight-ignored');
}

describe('a field that asks for thinking', () => {
  it.each(ASKING)('is named where the model cannot: %s %j', async (path, body, fields) => {
    for (const stream of [false, true]) {
      expect(await ignoredOf(path, { ...body, model: 'scripted', stream })).toBe(fields);
    }
    const beside = { ...body, model: 'scripted', stream: false, colour: 'red' };
    expect(await ignoredOf(path, beside)).toBe(`colour, ${fields}`);
  });

  it.each(ASKING)('is not where it can: %s %j', async (path, body) => {
    expect(await ignoredOf(path, { ...body, model: 'thinking', stream: false })).toBeNull();
  });

  it.each(NOT_ASKING)('is not where it asks for none: %s %j', async (path, body) => {
    expect(await ignoredOf(path, { ...body, model: 'scripted', stream: false })).toBeNull();
  });

  it('is named where only the prompt is looked at', async () => {
    const model = 'scripted';
    for (const [path, body, field] of [
      [
        '/v1/messages/count_tokens',
        { model, messages, thinking: { type: 'adaptive' } },
        'thinking',
      ],
      ['/apply-template', { model, messages, reasoning_effort: 'low' }, 'reasoning_effort'],
      [
        '/v1/responses/input_tokens',
        { model, input: 'Hi.', reasoning: { effort: 'low' } },
        'reasoning.effort',
      ],
    ] as const) {
      expect(await ignoredOf(path, body)).toBe(field);
    }
  });
});
