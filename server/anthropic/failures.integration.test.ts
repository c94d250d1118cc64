// A real server and engine; what is refused, as the official client tells it.
import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anthropicErrorSchema } from '../../protocol/anthropic.js';
import { failure, startTestServer, type TestServer, user } from '../test-server.js';

let test: TestServer;
let client: Anthropic;
beforeAll(async () => {
  test = await startTestServer({ models: ['scripted', 'embed'], config: { apiKeys: ['right'] } });
  client = new Anthropic({ baseURL: test.server.url, apiKey: 'right', maxRetries: 0 });
});
afterAll(() => test.close());

const request = { model: 'scripted', max_tokens: 5, messages: [user('Hi.')] };

function ask(body: unknown, headers: Record<string, string> = {}, path = '/v1/messages') {
  return fetch(test.server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer right', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

async function refusal(body: unknown, headers: Record<string, string> = {}, path?: string) {
  const response = await ask(body, headers, path);
  const told: unknown = await response.json();
  const { error, request_id } = anthropicErrorSchema.strict().parse(told);
  expect(request_id).toBe(response.headers.get('request-id'));
  return { status: response.status, ...error };
}

const refused = (params: object) =>
  client.messages.create({ ...request, ...params } as Anthropic.MessageCreateParamsNonStreaming);

describe('an error', () => {
  it('is of the class that the official client has for it', async () => {
    await expect(refused({ temperature: 1.5 })).rejects.toThrow(Anthropic.BadRequestError);
    await expect(refused({ model: 'nobody' })).rejects.toThrow(Anthropic.NotFoundError);
    const stranger = new Anthropic({ baseURL: test.server.url, authToken: 'no', maxRetries: 0 });
    const denied = stranger.messages.create(request);
    await expect(denied).rejects.toThrow(Anthropic.AuthenticationError);
    await expect(denied).rejects.toMatchObject({ type: 'authentication_error' });
    const error = await refused({ max_tokens: null }).catch((reason) => reason);
    expect(error).toMatchObject({ status: 400, type: 'invalid_request_error' });
    expect(error.requestID).toMatch(/./);
  });

  it('says in the words that agents look for that a prompt is too long, with both counts', async () => {
    const words = /prompt is too long[^0-9]*(\d+) tokens > 2048 maximum/;
    for (const stream of [false, true]) {
      for (const times of [3_000, 300_000]) {
        const messages = [user('word '.repeat(times))];
        const told = await refusal({ ...request, messages, stream });
        expect(told).toMatchObject({ status: 400, message: expect.stringMatching(words) });
        expect(Number(words.exec(told.message)?.[1])).toBeGreaterThan(2048);
      }
    }
  });

  it('names the parameter that holds a schema', async () => {
    const schema = { type: 'string', pattern: '^a{2,1}$' };
    for (const stream of [false, true]) {
      const output_config = { format: { type: 'json_schema', schema } };
      const told = await refusal({ ...request, output_config, stream });
      expect(told.message).toMatch(/^output_config\.format: /);
    }
  });

  it('has the shape of the dialect whoever refuses, and only there', async () => {
    const guard = await refusal(request, { origin: 'http://evil.example' });
    expect(guard).toMatchObject({ status: 403, type: 'permission_error' });
    expect(await refusal('{')).toMatchObject({ status: 400, type: 'invalid_request_error' });
    expect(await refusal('[]')).toMatchObject({ status: 400, type: 'invalid_request_error' });
    expect(await refusal(request, {}, '/v1/messages/batches')).toMatchObject({ status: 404 });
    const version = { 'anthropic-version': '2023-06-01' };
    expect(await refusal({}, version, '/v1/nowhere')).toMatchObject({ type: 'not_found_error' });
    const other = await failure(await ask({}, {}, '/v1/chat/completions'));
    expect(other.param).toBe('messages');
  });

  it('comes before the first byte of a stream', async () => {
    const long = { ...request, messages: [user('word '.repeat(5000))] };
    for (const stream of [false, true]) {
      const told = await refusal({ ...long, stream });
      expect(told).toMatchObject({ status: 400, type: 'invalid_request_error' });
      expect(told.message).toContain('2048');
    }
    expect(await refusal({ ...request, model: 'embed' })).toMatchObject({ status: 400 });
  });

  it('ends a stream that has begun', async () => {
    const long = await startTestServer({ models: ['scripted-long'] });
    try {
      const other = new Anthropic({ baseURL: long.server.url, apiKey: 'none', maxRetries: 0 });
      const stream = other.messages.stream({
        ...request,
        model: 'scripted-long',
        max_tokens: 1500,
      });
      stream.once('text', () => long.engines[0]?.kill());
      const error = await stream.finalMessage().catch((reason) => reason);
      expect(error).toBeInstanceOf(Anthropic.APIError);
      expect(error).toMatchObject({ type: 'overloaded_error' });
    } finally {
      await long.close();
    }
  });
});

describe('a request', () => {
  const block = (content: object) => ({ messages: [{ role: 'user', content: [content] }] });
  it.each([
    ['max_tokens', { max_tokens: undefined }],
    ['max_tokens', { max_tokens: -1 }],
    ['messages', { messages: [] }],
    ['messages[0].role', { messages: [{ role: 'tool', content: 'x' }] }],
    ['messages[0].content', { messages: [{ role: 'user', content: 7 }] }],
    ['messages[0].content[0].text', block({ type: 'text' })],
    [
      'messages[0].content[0].source.url',
      block({ type: 'image', source: { type: 'url', url: 'http://127.0.0.1:1/x.png' } }),
    ],
    ['messages[0].content[0].type', block({ type: 'document', source: {} })],
    ['messages[0].content[0].type', block({ type: 'tool_use', id: 'a', name: 'b', input: {} })],
    ['tool_use_id', block({ type: 'tool_result', tool_use_id: 'toolu_unknown' })],
    ['system', { system: [{ type: 'image' }] }],
    ['temperature', { temperature: 1.01 }],
    ['top_p', { top_p: 2 }],
    ['top_k', { top_k: -1 }],
    ['stop_sequences', { stop_sequences: [''] }],
    ['thinking', { thinking: { type: 'between_tools' } }],
    ['thinking.budget_tokens', { thinking: { type: 'enabled', budget_tokens: 10 } }],
    ['thinking.budget_tokens', { thinking: { type: 'enabled', budget_tokens: 1024 } }],
    ['tools[0].type', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
    ['tools[0].input_schema', { tools: [{ name: 'a' }] }],
    ['tools[0].name', { tools: [{ name: 'a b', input_schema: {} }] }],
    ['tools[0].defer_loading', { tools: [{ name: 'a', input_schema: {}, defer_loading: true }] }],
    ['tool_choice', { tool_choice: { type: 'any' } }],
    ['tool_choice', { tool_choice: { type: 'tool' } }],
    ['mcp_servers', { mcp_servers: [{ url: 'http://127.0.0.1:1' }] }],
    ['thread', { thread: { type: 'create' } }],
    ['container', { container: 'c' }],
    ['context_management', { context_management: { edits: [{ type: 'clear_tool_uses' }] } }],
    ['context_management', { context_management: 5 }],
    ['output_config.format', { output_config: { format: { type: 'text' } } }],
  ])('that is wrong in %s is told so: %j', async (param, change) => {
    for (const stream of [false, true]) {
      const told = await refusal({ ...request, ...change, stream });
      expect(told).toMatchObject({ status: 400, type: 'invalid_request_error' });
      expect(told.message).toContain(param);
    }
  });

  it('that holds nothing to answer is no failure of the server', async () => {
    for (const messages of [
      [{ role: 'assistant', content: '' }],
      [{ role: 'system', content: '' }],
      [{ role: 'user', content: [] }],
    ]) {
      const { status } = await ask({ ...request, messages });
      expect(status).toBeLessThan(500);
    }
  });

  it('takes null as the default, and what cannot change the answer', async () => {
    const nothing = Object.fromEntries(
      ['system', 'stop_sequences', 'temperature', 'top_p', 'top_k', 'stream', 'tools'].map(
        (name) => [name, null],
      ),
    );
    const response = await ask({
      ...request,
      ...nothing,
      ...{ tool_choice: null, thinking: null, output_config: null, container: null },
      metadata: { user_id: 'me' },
      service_tier: 'auto',
      cache_control: { type: 'ephemeral' },
      context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-pilotlight-ignored')).toBeNull();
    const odd = await ask({ ...request, foo: 1 });
    expect(odd.headers.get('x-pilotlight-ignored')).toBe('foo');
  });
});

describe('models', () => {
  it('are listed and found as the official client wants them', async () => {
    const ids: string[] = [];
    for await (const model of client.models.list({ limit: 1 })) ids.push(model.id);
    expect(ids).toEqual(['scripted']);
    const found = await client.models.retrieve('scripted');
    expect(found).toMatchObject({ type: 'model', id: 'scripted', lifecycle: 'active' });
    expect(new Date(found.created_at).getFullYear()).toBeGreaterThan(2000);
    await expect(client.models.retrieve('nobody')).rejects.toThrow(Anthropic.NotFoundError);
    await expect(client.models.list({ limit: 0 })).rejects.toThrow(Anthropic.BadRequestError);
  });

  it('stay what they were for others', async () => {
    const headers = { authorization: 'Bearer right' };
    const response = await fetch(`${test.server.url}/v1/models`, { headers });
    expect(await response.json()).toMatchObject({ object: 'list' });
  });
});
