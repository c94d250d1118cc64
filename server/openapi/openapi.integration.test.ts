// What a real server says is held against the document that it gives of itself: each route, each event of each stream.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { chatSchema } from '../../protocol/chats.js';
import type { InspectorState } from '../../protocol/inspector.js';
import { RECEIPT_HEADER } from '../../protocol/ledger.js';
import { GIF, JPEG, PICTURE, pdf } from '../attachments/test-files.js';
import { TEST_TOKEN, TestHub } from '../hub/test-hub.js';
import { testGguf } from '../library/test-gguf.js';
import { testProgram } from '../mcp/test-program.js';
import { startTestServer, type TestServer, user } from '../test-server.js';

interface MediaType {
  schema: object;
  example?: object;
  'x-event-schema'?: object;
}
interface DocumentedOperation {
  operationId: string;
  security?: object[];
  requestBody?: { content: Record<string, MediaType> };
  responses: Record<string, { headers?: object; content?: Record<string, MediaType> }>;
}
interface ApiDocument {
  paths: Record<string, Record<string, DocumentedOperation>>;
}

let test: TestServer;
let hub: TestHub;
let document: ApiDocument;
let ajv: Ajv2020;
/** By the text of the schema. */
const compiled = new Map<string, ValidateFunction>();
/** Operations and media types of successes that have been seen. */
const seen = new Set<string>();

beforeAll(async () => {
  hub = await TestHub.start();
  hub.addRepo('ada/tiny', { files: { 'tiny-Q8_0.gguf': testGguf() } });
  hub.addRepo('owner/name', { files: { 'name-Q4_K_M.gguf': testGguf() } });
  test = await startTestServer({
    settings: { hub_endpoint: hub.endpoint },
    models: ['scripted', 'toolcall', 'thinking', 'embed', 'rerank', 'slow'],
    config: { windowKey: 'w' },
  });
  document = (await (await fetch(`${test.server.url}/openapi.json`)).json()) as ApiDocument;
  ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ ...document, $id: 'https://pilotlight.test/openapi.json' });
});
afterAll(async () => {
  await test.close();
  await hub.close();
});

function check(schema: object, value: unknown): void {
  const text = JSON.stringify(schema).replaceAll('"#/', '"https://pilotlight.test/openapi.json#/');
  // A model that is forced to call may go on until its context is full, and each event is looked at.
  const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text));
  compiled.set(text, validate);
  validate(value);
  expect({ value, errors: validate.errors }).toEqual({ value, errors: null });
}

interface Call {
  method?: string;
  /** Values for the names in the path. */
  path?: Record<string, string>;
  query?: string;
  body?: unknown;
  /** A body that is no JSON. */
  file?: Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
  status?: number;
  /** Enough of a stream without an end. */
  events?: number;
}

async function call(
  route: string,
  { method = 'post', path = {}, query = '', body, file, headers = {}, status = 200, events }: Call,
): Promise<unknown> {
  const operation = document.paths[route]?.[method];
  if (!operation) throw new Error(`${method} ${route} is not in the document`);
  const url = route.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(path[name] ?? ''));
  const controller = new AbortController();
  const response = await fetch(test.server.url + url + query, {
    // fetch() writes some methods as they are given.
    method: method.toUpperCase(),
    signal: controller.signal,
    // The inspector needs it, and nothing else minds.
    headers: {
      authorization: 'Bearer w',
      ...headers,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(file === undefined ? {} : { body: file }),
  });
  expect([route, response.status]).toEqual([route, status]);
  const told = operation.responses[status]?.headers ?? {};
  for (const name of ['x-request-id', RECEIPT_HEADER]) {
    expect([route, name, response.headers.has(name)]).toEqual([route, name, name in told]);
  }
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';');
  const documented = operation.responses[status]?.content?.[type];
  if (!documented) throw new Error(`${method} ${route} has no ${status} of ${type}`);
  if (status < 400) {
    seen.add(`${operation.operationId} ${type}`);
    const wanted = operation.requestBody?.content['application/json'];
    if (wanted) check(wanted.schema, body);
  }
  if (type === 'application/json' && !response.headers.has('content-disposition')) {
    const value: unknown = await response.json();
    check(documented.schema, value);
    return value;
  }
  if (response.headers.has('content-disposition'))
    return new Uint8Array(await response.arrayBuffer());
  const text = events === undefined ? await response.text() : await begin(response, events);
  controller.abort();
  if (type === 'text/plain') {
    check(documented.schema, text);
    return text;
  }
  const parts =
    type === 'application/x-ndjson'
      ? text.trimEnd().split('\n')
      : dataOf(text).filter((data) => data !== '[DONE]');
  expect(parts.length).toBeGreaterThan(0);
  const schema = documented['x-event-schema'];
  if (!schema) throw new Error(`${method} ${route} does not say what its events are`);
  for (const data of parts) check(schema, JSON.parse(data));
  return null;
}

/** The data of server-sent events, named or not. */
function dataOf(text: string): string[] {
  const lines = text.split('\n').filter((line) => line.startsWith('data: '));
  return lines.map((line) => line.slice('data: '.length));
}

/** The first events of a stream. */
async function begin(response: Response, events: number): Promise<string> {
  let text = '';
  // An event may come in several pieces.
  const whole = () => text.slice(0, text.lastIndexOf('\n\n') + 2);
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (dataOf(whole()).length > events) break;
  }
  return whole();
}

const messages = [user('Hi.')];
const weather = {
  type: 'function',
  function: {
    name: 'weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  },
};

const weatherTool = { type: 'function', ...weather.function };

describe('chat completions', () => {
  it.each<[string, object]>([
    ['plain', {}],
    ['several choices', { n: 2, max_tokens: 3 }],
    ['log probabilities', { logprobs: true, top_logprobs: 2, max_tokens: 3 }],
    ['JSON', { response_format: { type: 'json_object' }, max_tokens: 20 }],
    ['a forced tool', { model: 'toolcall', tools: [weather], tool_choice: 'required' }],
    ['reasoning', { model: 'thinking' }],
    ['usage', { stream_options: { include_usage: true } }],
    ['all kinds of parameters', { temperature: 0, seed: 2 ** 60, stop: ['x'], user: 'me', foo: 1 }],
  ])('%s', async (_, more) => {
    const { stream_options, ...rest } = more as { stream_options?: object };
    await call('/v1/chat/completions', { body: { messages, ...rest } });
    await call('/v1/chat/completions', {
      body: { messages, ...rest, stream: true, ...(stream_options ? { stream_options } : {}) },
    });
  });
});

describe('responses', () => {
  it.each<[string, object]>([
    ['plain', { metadata: { a: 'b' } }],
    ['log probabilities', { include: ['message.output_text.logprobs'], top_logprobs: 2 }],
    ['a forced tool', { model: 'toolcall', tools: [weatherTool], tool_choice: 'required' }],
    ['reasoning', { model: 'thinking', reasoning: { effort: 'low' } }],
    ['too few tokens', { max_output_tokens: 1 }],
  ])('%s', async (_, more) => {
    const body = { input: 'Hi.', ...more };
    await call('/v1/responses', { body });
    await call('/v1/responses', { body: { ...body, stream: true } });
    await call('/v1/responses/input_tokens', { body });
  });

  it('that are kept', async () => {
    const { id } = (await call('/v1/responses', { body: { input: 'Hi.' } })) as { id: string };
    const path = { id };
    await call('/v1/responses/{id}', { method: 'get', path });
    await call('/v1/responses/{id}', { method: 'get', path, query: '?stream=true' });
    await call('/v1/responses/{id}/input_items', { method: 'get', path });
    await call('/v1/responses/{id}/cancel', { path, status: 400 });
    await call('/v1/responses/{id}', { method: 'delete', path });
    await call('/v1/responses/{id}', { method: 'get', path, status: 404 });
  });
});

describe('messages', () => {
  const input_schema = weather.function.parameters;
  it.each<[string, object]>([
    ['plain', {}],
    ['a system message', { system: 'Be kind.', stop_sequences: ['x'], temperature: 0 }],
    [
      'a forced tool',
      {
        model: 'toolcall',
        tools: [{ name: 'weather', input_schema }],
        tool_choice: { type: 'any' },
      },
    ],
    ['thinking', { model: 'thinking', thinking: { type: 'enabled', budget_tokens: 1024 } }],
  ])('%s', async (_, more) => {
    const body = { messages, max_tokens: 2000, ...more };
    await call('/v1/messages', { body });
    await call('/v1/messages', { body: { ...body, stream: true } });
    await call('/v1/messages/count_tokens', { body });
  });
});

describe('the manner of Ollama', () => {
  it.each<[string, object]>([
    ['plain', {}],
    ['log probabilities', { logprobs: true, top_logprobs: 2 }],
    ['a tool', { model: 'toolcall', tools: [weather] }],
    ['thinking', { model: 'thinking', think: true }],
    ['JSON', { format: 'json', options: { num_predict: 20, seed: 1 } }],
    ['only loading', { messages: [], prompt: '' }],
  ])('%s', async (_, more) => {
    for (const stream of [true, false]) {
      await call('/api/chat', { body: { messages, stream, ...more } });
      if ('tools' in more) continue;
      await call('/api/generate', { body: { prompt: 'Hi.', stream, ...more } });
    }
  });

  it('the rest', async () => {
    await call('/api/embed', { body: { input: ['a', 'b'] } });
    await call('/api/embeddings', { body: { prompt: 'a' } });
    await call('/api/show', { body: { model: 'scripted' } });
    for (const stream of [true, false]) {
      await call('/api/pull', { body: { model: 'scripted', stream } });
    }
    for (const name of ['tags', 'ps', 'version']) await call(`/api/${name}`, { method: 'get' });
    for (const name of ['create', 'copy', 'push']) await call(`/api/${name}`, { status: 400 });
    await call('/api/delete', { method: 'delete', status: 400 });
    await call('/api/chat', { body: { model: 'nobody', messages }, status: 404 });
  });
});

describe('the other routes', () => {
  it('completions', async () => {
    for (const body of [
      { prompt: 'Hi.', max_tokens: 3 },
      { prompt: ['Hi.', 'Ho.'], max_tokens: 3, echo: true },
      { prompt: [[1, 2], [3]], max_tokens: 3, logprobs: 2 },
    ]) {
      await call('/v1/completions', { body });
      await call('/v1/completions', { body: { ...body, stream: true } });
    }
  });

  it('tokens in and out', async () => {
    const sampling_params = { max_tokens: 3, logprobs: 1, n: 2 };
    const stream_options = { include_usage: true, continuous_usage_stats: true };
    const ids = { token_ids: [40, 41], sampling_params };
    await call('/inference/v1/generate', { body: ids });
    await call('/inference/v1/generate', { body: { ...ids, stream: true, stream_options } });
    for (const body of [{ prompt: 'Hi.' }, { token_ids: [40] }, { messages }]) {
      await call('/v1/generate', { body });
      await call('/v1/generate', { body: { ...body, stream: true } });
    }
  });

  it('embeddings and scores', async () => {
    for (const encoding_format of ['float', 'base64']) {
      await call('/v1/embeddings', { body: { input: ['a', 'b'], encoding_format } });
    }
    for (const route of ['/v1/rerank', '/v2/rerank']) {
      const body = { query: 'a', documents: ['b', { text: 'c' }], return_documents: true };
      await call(route, { body });
    }
  });

  it('tokens', async () => {
    for (const v1 of ['', '/v1']) {
      await call(`${v1}/tokenize`, { body: { content: 'Hi.' } });
      await call(`${v1}/tokenize`, { body: { content: 'Hé.', with_pieces: true } });
      await call(`${v1}/detokenize`, { body: { tokens: [1, 2] } });
      await call(`${v1}/apply-template`, { body: { messages } });
    }
  });

  it('models and the server', async () => {
    const method = 'get';
    await call('/v1/models', { method });
    await call('/v1/models/{id}', { method, path: { id: 'scripted' } });
    const headers = { 'anthropic-version': '2023-06-01' };
    await call('/v1/models', { method, headers });
    await call('/v1/models/{id}', { method, headers, path: { id: 'scripted' } });
    await call('/health', { method });
    await call('/openapi.json', { method });
    await call('/metrics', { method });
    await call('/v1/usage', { method });
    await call('/pilotlight/events', { method, events: 0 });
    await call('/pilotlight/current-model', { method: 'put', body: { model: 'scripted' } });
  });
});

it('loading and unloading', async () => {
  const path = { id: 'embed' };
  const headers = { accept: 'text/event-stream' };
  await call('/v1/models/{id}/load', { path, body: {} });
  await call('/v1/models/{id}/unload', { path });
  await call('/v1/models/{id}/load', { path, headers, body: { ttl: 60, pin: true } });
  await call('/v1/models/{id}/load', { path: { id: 'nobody' }, body: {}, status: 404 });
  await call('/pilotlight/models/{id}/estimate', { path, body: {} });
  await call('/pilotlight/models/events', { method: 'get', events: 0 });
  const running = await test.chat({ model: 'slow', messages, stream: true });
  const id = running.headers.get('x-request-id') ?? '';
  await call('/pilotlight/requests/{id}/cancel', { path: { id } });
  expect(await running.text()).toContain('request_cancelled');
  await call('/pilotlight/requests/{id}/cancel', { path: { id }, status: 404 });
});

it('the hub', async () => {
  const at = '/pilotlight/hub';
  await call(`${at}/models`, { method: 'get', query: '?sort=likes' });
  await call(`${at}/models/{repo}`, { method: 'get', path: { repo: 'ada/tiny' } });
  await call(`${at}/models/{repo}`, { method: 'get', path: { repo: 'ada/none' }, status: 404 });
  await call(`${at}/token`, { method: 'put', body: { token: TEST_TOKEN } });
  await call(`${at}/token`, { method: 'get' });
  await call(`${at}/token`, { method: 'delete' });
});

it('receipts', async () => {
  const { headers } = await test.chat({ messages });
  const path = { id: headers.get(RECEIPT_HEADER) ?? '' };
  await call('/v1/receipts/{id}', { method: 'get', path });
  await call('/v1/receipts/{id}', { method: 'get', path: { id: 'rcpt_0' }, status: 404 });
});

it('upstreams', async () => {
  const at = '/pilotlight/upstreams';
  const body = { name: 'Itself', url: test.server.url, models: ['x'], enabled: true };
  const { id } = (await call(at, { body })) as { id: string };
  const path = { id };
  await call(at, { body, status: 409 });
  await call(at, { method: 'get' });
  await call(`${at}/{id}`, { method: 'put', path, body: { ...body, key: 'k' } });
  await call(`${at}/{id}/check`, { path });
  await call(`${at}/order`, { method: 'put', body: { ids: [id] } });
  await call(`${at}/order`, { method: 'get' });
  await call('/v1/models/{id}', { method: 'get', path: { id: 'x' } });
  await call(`${at}/{id}`, { method: 'delete', path });
  await call(`${at}/{id}`, { method: 'delete', path, status: 404 });
});

it('tool servers', async () => {
  const at = '/pilotlight/mcp';
  const body = { mcpServers: { a: { command: 'no-such-program', env: { TOKEN: 'x' } } } };
  await call(`${at}/check`, { body: { text: JSON.stringify(body) } });
  await call(`${at}/servers`, { method: 'put', body });
  await call(`${at}/servers`, { method: 'put', body: { mcpServers: { a: {} } }, status: 400 });
  const path = { id: 'a' };
  await call(`${at}/servers/{id}/restart`, { path, status: 409 });
  await call(`${at}/servers/{id}`, { method: 'patch', path, body: { enabled: true } });
  await call(`${at}/servers/{id}/restart`, { path });
  await call(`${at}/servers`, { method: 'get' });
  await decideOnCall();
  await call(`${at}/servers/{id}`, { method: 'delete', path });
  await call(`${at}/servers/{id}`, { method: 'delete', path, status: 404 });
});

/** Has a model call a tool, and waits until the person is asked. */
async function decideOnCall(): Promise<void> {
  const servers = '/pilotlight/mcp/servers';
  const body = { mcpServers: { tools: testProgram() } };
  await call(servers, { method: 'put', body });
  await call(`${servers}/{id}`, {
    method: 'patch',
    path: { id: 'tools' },
    body: { enabled: true },
  });
  const chats = '/pilotlight/chats';
  const settings = { model: 'toolcall' };
  const { id } = (await call(chats, { body: { settings } })) as { id: string };
  const question = { parent_id: null, text: 'What is the weather in Rome?' };
  const asked = await call(`${chats}/{id}/messages`, { path: { id }, body: question });
  const [message = ''] = (asked as { answer_ids: string[] }).answer_ids;
  const waiting = await vi.waitFor(
    async () => {
      const chat = await call(`${chats}/{id}`, { method: 'get', path: { id } });
      const parts = chatSchema
        .parse(chat)
        .messages.flatMap((each) => (each.role === 'assistant' ? each.parts : []));
      const found = parts.find((part) => part.type === 'tool_call' && part.state === 'waiting');
      if (found?.type !== 'tool_call') throw new Error('nobody is asked yet');
      return found.id;
    },
    { timeout: 30_000 },
  );
  const path = { id, message, call: waiting };
  const decision = { decision: 'refuse' };
  await call(`${chats}/{id}/messages/{message}/tools/{call}`, { path, body: decision });
  await call(`${chats}/{id}/messages/{message}/tools/{call}`, {
    path,
    body: decision,
    status: 409,
  });
  await call(`${servers}/{id}`, { method: 'delete', path: { id: 'tools' } });
}

it('settings', async () => {
  const at = '/pilotlight/settings';
  await call(at, { method: 'get' });
  await call(at, { method: 'patch', body: { idle_ttl: 600 } });
  await call(at, { method: 'patch', body: { idle_ttl: null } });
  await call(at, { method: 'patch', body: { preferences: { theme: 'dark' } } });
  await call('/pilotlight/about', { method: 'get' });
  await call('/pilotlight/models-folder/check', { body: { path: null } });
  await call('/pilotlight/models-folder/check', { body: { path: '' }, status: 400 });
  await call(at, { method: 'patch', body: { folders: ['nowhere'] }, status: 400 });
  const one = '/pilotlight/models/{id}';
  const path = { id: 'embed' };
  await call(one, { method: 'get', path });
  await call(one, { method: 'get', path: { id: 'nobody' }, status: 404 });
  await call(`${one}/settings`, { method: 'put', path, body: { aliases: ['vectors'] } });
  await call(`${one}/settings`, { method: 'get', path });
  const taken = { aliases: ['vectors'] };
  await call(`${one}/settings`, { method: 'put', path: { id: 'slow' }, body: taken, status: 409 });
  await call(`${one}/settings`, { method: 'put', path, body: {} });
});

it('downloads', async () => {
  const at = '/pilotlight/downloads';
  const body = { repo: 'owner/name', quantization: 'Q4_K_M' };
  const done = () =>
    test.until(({ downloads }) => downloads.some(({ status }) => status === 'done'));
  hub.misbehave({ kind: 'stall', at: 10 });
  const { id } = (await call(at, { body })) as { id: string };
  const path = { id };
  await call(at, { method: 'get' });
  await call(`${at}/{id}/pause`, { path });
  hub.behave();
  await call(`${at}/{id}/resume`, { path });
  await done();
  await call(`${at}/{id}`, { method: 'delete', path });
  await call(`${at}/{id}/pause`, { path, status: 404 });
  const model = 'name-Q4_K_M';
  await call('/pilotlight/models/{id}', { method: 'delete', path: { id: model } });
  await call('/pilotlight/models/{id}', { method: 'delete', path: { id: model }, status: 404 });
  await call(at, { body });
  await done();
  await call('/api/delete', { method: 'delete', body: { model } });
  await call(at, { body: { repo: 'owner/none' }, status: 404 });
});

it('the developer page', async () => {
  await call('/pilotlight/server', { method: 'get' });
  await call('/pilotlight/keys', { body: { name: 'desk' } });
  await call('/pilotlight/keys', { body: { name: 'desk' }, status: 409 });
  await call('/pilotlight/keys', { method: 'get' });
  await call('/pilotlight/keys/{name}', { method: 'delete', path: { name: 'desk' } });
  await call('/pilotlight/log/events', { method: 'get', events: 0 });
  await call('/pilotlight/self-test', { body: { model: 'scripted' } });
});

it('the inspector', async () => {
  const at = '/pilotlight/inspector';
  await call(`${at}/switch`, { method: 'put', body: { enabled: true } });
  await test.answer({ messages });
  await test.streamed({ messages, temperature: 0, seed: 1, stop: ['x'], logit_bias: { 7: 1 } });
  await test.streamed({ messages, model: 'toolcall', tools: [weather], tool_choice: 'required' });
  await test.answer({ messages, response_format: { type: 'json_object' }, max_tokens: 9 });
  await test.post('/v1/embeddings', { input: 'a' });
  await test.post('/v1/chat/completions', { messages: [] });
  const state = (await call(at, { method: 'get' })) as InspectorState;
  expect(state.kept.length).toBe(6);
  for (const { id } of state.kept) {
    await call(`${at}/requests/{id}`, { method: 'get', path: { id } });
    await call(`${at}/requests/{id}/snippets`, { method: 'get', path: { id } });
  }
  const path = { id: state.kept[0]?.id ?? '' };
  await call(`${at}/requests/{id}/replay`, { path });
  await call(`${at}/requests/{id}/cancel`, { path, status: 404 });
  const running = await test.chat({ model: 'slow', messages, stream: true });
  await call(`${at}/events`, { method: 'get', events: 2 });
  const { live } = (await call(at, { method: 'get' })) as InspectorState;
  await call(`${at}/requests/{id}/cancel`, { path: { id: live.at(-1)?.id ?? '' } });
  expect(await running.text()).toContain('request_cancelled');
  await call(`${at}/switch`, { method: 'put', body: { enabled: false } });
  await call(`${at}/requests/{id}`, { method: 'get', path, status: 404 });
});

it('chats', async () => {
  const at = '/pilotlight/chats';
  const one = `${at}/{id}`;
  const method = 'get';
  const { id } = (await call(at, { body: { title: 'Mine' } })) as { id: string };
  const path = { id };
  await call(one, { method: 'patch', path, body: { pinned: true, settings: { seed: 1 } } });
  await call(one, { method: 'patch', path, body: { pinned: 1 }, status: 400 });
  const ask = { parent_id: null, text: 'Hi.', models: ['scripted'] };
  const { question_id, answer_ids } = (await call(`${one}/messages`, {
    ...{ path, body: ask },
  })) as { question_id: string; answer_ids: string[] };
  await call(`${at}/events`, { method, query: `?open=${id}`, events: 2 });
  const ofMessage = { id, message: answer_ids[0] ?? '' };
  await call(`${one}/messages/{message}/stop`, { path: ofMessage });
  await call(`${one}/stop`, { path });
  await call(`${one}/messages/{message}`, {
    ...{ method: 'patch', path: { id, message: question_id }, body: { text: 'Ho.' } },
  });
  await call(`${one}/messages/{message}/answers`, {
    ...{ path: { id, message: question_id }, body: {} },
  });
  await call(`${one}/messages/{message}`, { method: 'delete', path: ofMessage });
  await call(`${one}/messages/{message}`, { method: 'delete', path: ofMessage, status: 404 });
  await call(`${one}/messages/{message}/restore`, { path: ofMessage });
  await call(`${one}/messages`, { path, body: { ...ask, models: ['nobody'] } });
  let failed = '';
  while (failed === '') {
    const { messages: all } = (await call(one, { method, path })) as {
      messages: { id: string; status?: string }[];
    };
    failed = all.find(({ status }) => status === 'failed')?.id ?? '';
  }
  await call(`${one}/messages/{message}/continue`, { path: { id, message: failed } });
  await call(at, { method });
  await call(`${at}/search`, { method, query: '?q=Ho' });
  await call(one, { method: 'delete', path });
  await call(one, { method, path, status: 404 });
  await call(`${one}/restore`, { path });
});

it('folders and presets', async () => {
  const folders = '/pilotlight/chat-folders';
  const made = (await call(folders, { body: { name: 'Work' } })) as { folders: { id: string }[] };
  await call(folders, { method: 'get' });
  const path = { id: made.folders[0]?.id ?? '' };
  await call(`${folders}/{id}`, { method: 'patch', path, body: { position: 0 } });
  await call(`${folders}/{id}`, { method: 'delete', path });
  await call(`${folders}/{id}`, { method: 'delete', path, status: 404 });
  const presets = '/pilotlight/presets';
  const body = { name: 'Pirate', system_prompt: 'Talk like a pirate.' };
  const { id } = (await call(presets, { body })) as { id: string };
  await call(presets, { method: 'get' });
  await call(`${presets}/{id}`, { method: 'put', path: { id }, body });
  await call(`${presets}/{id}`, { method: 'delete', path: { id } });
});

it('describes attachments', async () => {
  const root = '/pilotlight/attachments';
  const add = async (name: string, file: Uint8Array<ArrayBuffer>) => {
    const added = (await call(root, { query: `?name=${name}`, file })) as { id: string };
    return { path: { id: added.id } };
  };
  const get = { method: 'get' };
  const notes = await add('notes.txt', new TextEncoder().encode('Words.'));
  for (const file of [PICTURE, JPEG, GIF]) {
    await call(`${root}/{id}/file`, { ...get, ...(await add('picture', file)) });
  }
  await call(`${root}/{id}`, { ...get, ...notes });
  await call(`${root}/{id}/file`, { ...get, ...notes });
  await call(`${root}/{id}/text`, { ...get, ...notes });
  await call(`${root}/{id}/text`, { ...get, path: { id: 'none' }, status: 404 });
  await call(root, { query: '?name=a', file: new Uint8Array(), status: 400 });
  await call(`${root}/{id}/pages`, { ...notes, body: { first: 1 }, status: 400 });
  const book = await add('book.pdf', await pdf(['One.', 'Two.']));
  await call(`${root}/{id}/pages`, { ...book, body: { first: 1 } });
  const { id } = (await call('/pilotlight/chats', { body: {} })) as { id: string };
  const question = { parent_id: null, text: 'Hi.', attachments: [notes.path.id] };
  await call('/pilotlight/chats/{id}/count', { path: { id }, body: question });
});

it('describes what leaves, what comes in, and backups', async () => {
  const root = '/pilotlight/transfer';
  const { id } = (await call('/pilotlight/chats', { body: { title: 'Rome' } })) as { id: string };
  const get = { method: 'get' };
  await call(`${root}/export`, { ...get, query: `?format=markdown&chats=${id}` });
  await call(`${root}/export`, { ...get, query: '?format=markdown' });
  const file = (await call(`${root}/export`, get)) as Uint8Array<ArrayBuffer>;
  const preview = (await call(`${root}/imports`, { query: '?name=a.json', file })) as {
    id: string;
  };
  const ofFile = { path: { id: preview.id } };
  await call(`${root}/imports/{id}`, { ...ofFile, body: { known: 'copy' } });
  await call(`${root}/imports/{id}/undo`, ofFile);
  await call(`${root}/imports/{id}`, { method: 'delete', ...ofFile });
  await call(`${root}/imports`, {
    query: '?name=a',
    file: new TextEncoder().encode('a'),
    status: 400,
  });
  const backup = (await call(`${root}/backup`, get)) as Uint8Array<ArrayBuffer>;
  const checked = (await call(`${root}/restores`, { query: '?name=b.zip', file: backup })) as {
    id: string;
  };
  await call(`${root}/restores/{id}`, { path: { id: checked.id } });
  await call(`${root}/restores/{id}`, { path: { id: 'gone' }, status: 404 });
});

describe('refusals', () => {
  it.each<[string, Call]>([
    ['/v1/chat/completions', { body: { messages: [] }, status: 400 }],
    ['/v1/chat/completions', { body: { messages, model: 'nobody' }, status: 404 }],
    ['/v1/completions', { body: { prompt: 'a'.repeat(50_000) }, status: 400 }],
    ['/v1/embeddings', { body: {}, status: 400 }],
    ['/v1/generate', { body: { prompt: 'Hi.', foo: 1 }, status: 400 }],
    ['/inference/v1/generate', { body: { token_ids: [] }, status: 400 }],
    ['/v1/responses', { body: { input: 'Hi.', previous_response_id: 'x' }, status: 400 }],
    ['/v1/messages', { body: { messages }, status: 400 }],
    ['/v1/messages', { body: { messages, max_tokens: 1, model: 'nobody' }, status: 404 }],
    ['/v1/models/{id}', { method: 'get', path: { id: 'nobody' }, status: 404 }],
    ['/pilotlight/current-model', { method: 'put', body: {}, status: 400 }],
  ])('%s %j', async (route, refused) => {
    await call(route, refused);
  });
});

describe('the document', () => {
  it('has no success that has not been seen', () => {
    const documented = Object.values(document.paths).flatMap((operations) =>
      Object.values(operations).flatMap(({ operationId, responses }) =>
        Object.keys(responses[200]?.content ?? {}).map((type) => `${operationId} ${type}`),
      ),
    );
    expect([...seen].sort()).toEqual(documented.sort());
  });

  it('has examples that work as they are', async () => {
    for (const [route, operations] of Object.entries(document.paths)) {
      for (const [method, { requestBody }] of Object.entries(operations)) {
        // Whether there is such an id depends on what was done before.
        if (!requestBody || route.includes('{') || route === '/api/delete') continue;
        const json = requestBody.content['application/json'];
        if (!json) continue;
        const { example = {} } = json;
        const body = 'model' in example ? { ...example, model: 'scripted' } : example;
        await call(route, { method, body, path: { id: 'scripted' } });
      }
    }
  });

  it('says which routes need a key', async () => {
    const locked = await startTestServer({ config: { apiKeys: ['k'] } });
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const [method, { security }] of Object.entries(operations)) {
        const { status } = await fetch(locked.server.url + path, { method: method.toUpperCase() });
        expect([method, path, status]).toEqual([method, path, security ? 200 : 401]);
      }
    }
    await locked.close();
  });
});
