// Nothing that a request says makes the server read a file or ask an address.
import { copyFile, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure, putCurrentModel, startTestServer, type TestServer, user } from './test-server.js';

const SECRET = 'not for anybody';

let test: TestServer;
/** Accepts connections and counts them. */
let canary: net.Server;
let visits = 0;
/** A model file beside the models folder, which exists and could be loaded. */
let outside: string;

beforeAll(async () => {
  canary = net.createServer((socket) => {
    visits++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve));
  const rendererDir = path.join(await mkdtemp(path.join(os.tmpdir(), 'security-')), 'window');
  await mkdir(path.join(rendererDir, 'assets'), { recursive: true });
  await writeFile(path.join(rendererDir, 'index.html'), '<!doctype html>');
  await writeFile(path.join(rendererDir, '..', 'secret.txt'), SECRET);
  test = await startTestServer({ models: ['scripted'], config: { rendererDir } });
  outside = path.join(test.dataDir, 'outside.gguf');
  await copyFile(path.join(test.modelsDir, 'scripted.gguf'), outside);
});
afterAll(async () => {
  await test.close();
  await new Promise((resolve) => canary.close(resolve));
});

const canaryUrl = (name: string) =>
  `http://127.0.0.1:${(canary.address() as AddressInfo).port}/${name}`;

/** Every route that names a model in its body. */
const BODIES: [string, object][] = [
  ['/v1/chat/completions', { messages: [user('Hi.')] }],
  ['/v1/completions', { prompt: 'Hi.' }],
  ['/v1/embeddings', { input: 'Hi.' }],
  ['/v1/rerank', { query: 'a', documents: ['b'] }],
  ['/tokenize', { content: 'Hi.' }],
  ['/detokenize', { tokens: [1] }],
  ['/apply-template', { messages: [user('Hi.')] }],
];

function post(route: string, body: object): Promise<Response> {
  return fetch(test.server.url + route, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

describe('a model is one of the library, never a path or an address', () => {
  const names = (): string[] => [
    outside,
    pathToFileURL(outside).href,
    '../outside',
    '../outside.gguf',
    '..\\outside.gguf',
    './scripted.gguf',
    '../../../../../../etc/passwd',
    '/etc/passwd',
    'file:///etc/passwd',
    '//127.0.0.1/share/model.gguf',
    '\\\\127.0.0.1\\share\\model.gguf',
    canaryUrl('model.gguf'),
    'scripted\0',
    'scripted\0.gguf',
    '__proto__',
    'constructor',
  ];

  it.each(BODIES)('at %s', async (route, body) => {
    for (const model of names()) {
      const told = await failure(await post(route, { ...body, model }));
      expect([model, told.status, told.code]).toEqual([model, 404, 'model_not_found']);
    }
    expect(visits).toBe(0);
  });

  it.each<[string, object]>([
    ['/v1/responses', { input: 'Hi.' }],
    ['/v1/messages', { messages: [user('Hi.')], max_tokens: 1 }],
    ['/v1/messages/count_tokens', { messages: [user('Hi.')] }],
    ['/api/chat', { messages: [user('Hi.')] }],
    ['/api/generate', { prompt: 'Hi.' }],
    ['/api/embed', { input: 'Hi.' }],
    ['/api/show', {}],
    ['/api/pull', {}],
  ])('at %s', async (route, body) => {
    for (const model of names()) {
      expect([model, (await post(route, { ...body, model })).status]).toEqual([model, 404]);
    }
    expect(visits).toBe(0);
  });

  it('at /v1/models/ID and as the current model', async () => {
    for (const model of names()) {
      expect((await putCurrentModel(test, { model })).status).toBe(404);
      for (const id of [encodeURIComponent(model), encodeURI(model)]) {
        const line = `GET /v1/models/${id} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
        expect(await test.raw(line)).toMatch(/^HTTP\/1\.1 404 /);
      }
    }
    expect(visits).toBe(0);
    expect(test.server.state.now().models.map(({ id }) => id)).toEqual(['scripted']);
  });
});

describe('an address in a request is never asked', () => {
  const image = (part: object) => ({ messages: [{ role: 'user', content: [part] }] });

  it.each<[string, () => object]>([
    ['an image', () => image({ type: 'image_url', image_url: { url: canaryUrl('a.png') } })],
    ['a file', () => image({ type: 'image_url', image_url: { url: 'file:///etc/passwd' } })],
    ['an input image', () => image({ type: 'input_image', image_url: canaryUrl('b.png') })],
    ['audio', () => image({ type: 'input_audio', input_audio: { data: canaryUrl('c.mp3') } })],
    ['a document', () => image({ type: 'file', file: { file_url: canaryUrl('d.pdf') } })],
  ])('%s is refused by its place', async (_, body) => {
    const told = await failure(await test.chat(body()));
    const place = expect.stringMatching(/^messages\[0\]\.content\[0\]\./);
    expect(told).toMatchObject({ status: 400, param: place });
    expect(visits).toBe(0);
  });

  it.each<[string, () => object]>([
    [
      '/v1/responses',
      () => ({
        input: [
          {
            role: 'user',
            content: [{ type: 'input_image', image_url: canaryUrl('e.png') }],
          },
        ],
      }),
    ],
    [
      '/v1/messages',
      () => ({
        max_tokens: 1,
        ...image({ type: 'image', source: { type: 'url', url: canaryUrl('f.png') } }),
      }),
    ],
    [
      '/v1/messages',
      () => ({
        max_tokens: 1,
        ...image({ type: 'document', source: { type: 'url', url: canaryUrl('g.pdf') } }),
      }),
    ],
    [
      '/api/chat',
      () => ({ messages: [{ role: 'user', content: 'Hi.', images: [canaryUrl('h.png')] }] }),
    ],
    ['/api/generate', () => ({ prompt: 'Hi.', images: ['/etc/passwd'] })],
    ['/api/chat', () => ({ messages: [user('Hi.')], format: { $ref: canaryUrl('i.json') } })],
  ])('nor is one at %s', async (route, body) => {
    expect((await post(route, body())).status).toBe(400);
    expect(visits).toBe(0);
  });

  const schemas = (): object[] => [
    { $ref: canaryUrl('schema.json') },
    { $ref: 'https://127.0.0.1:1/schema.json' },
    { $ref: 'file:///etc/passwd' },
    { $ref: '../schema.json' },
    { type: 'object', properties: { a: { $ref: canaryUrl('schema.json#/definitions/a') } } },
    { type: 'array', items: { anyOf: [{ $ref: canaryUrl('schema.json') }] } },
  ];

  it('a schema elsewhere is refused, in a format and in a tool', async () => {
    for (const schema of schemas()) {
      const format = { type: 'json_schema', json_schema: { name: 'x', schema } };
      const told = await failure(
        await test.chat({ messages: [user('Hi.')], response_format: format }),
      );
      expect([schema, told.status]).toEqual([schema, 400]);
      expect(told.message).toContain('$ref');
      const tool = { type: 'function', function: { name: 'x', parameters: schema } };
      const forced = { messages: [user('Hi.')], tools: [tool], tool_choice: 'required' };
      expect((await failure(await test.chat(forced))).message).toContain('$ref');
    }
    expect(visits).toBe(0);
  });

  it.each(['$schema', '$id', '$dynamicRef', '$recursiveRef', '$vocabulary', '$anchor'])(
    'nor is what %s names',
    async (keyword) => {
      const schema = { [keyword]: canaryUrl('schema.json'), type: 'object' };
      const response = await test.chat({
        messages: [user('Hi.')],
        max_tokens: 5,
        response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
      });
      expect(response.status).toBeLessThan(500);
      await response.text();
      expect(visits).toBe(0);
    },
  );
});

describe('deep nesting', () => {
  const deep = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`;

  it.each(BODIES)('of a body of %s is refused, and the server lives', async (route) => {
    const body = `{"x": ${deep(100_000)}}`;
    const response = await fetch(test.server.url + route, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect(await failure(response)).toMatchObject({ status: 400, code: 'nested_too_deeply' });
  });

  it('as deep as bodies may be is no trouble wherever values are free', async () => {
    const value = JSON.parse(deep(240));
    const free = [
      { chat_template_kwargs: { x: value } },
      { response_format: { type: 'json_schema', json_schema: { schema: { x: value } } } },
      { tools: [{ type: 'function', function: { name: 'x', parameters: { x: value } } }] },
      { metadata: value },
      { logit_bias: value },
      { unknown: value },
      { stop: value },
    ];
    for (const each of free) {
      const response = await test.chat({ messages: [user('Hi.')], max_tokens: 1, ...each });
      expect([Object.keys(each), response.status < 500]).toEqual([Object.keys(each), true]);
      await response.text();
    }
  });

  it('of a variable for the template is told of that variable', async () => {
    const ask = (depth: number) =>
      test.chat({
        ...{ messages: [user('Hi.')], max_tokens: 1 },
        chat_template_kwargs: { x: JSON.parse(deep(depth)) },
      });
    expect((await ask(64)).status).toBe(200);
    expect(await failure(await ask(65))).toMatchObject({
      ...{ status: 400, param: 'chat_template_kwargs.x' },
    });
  });

  it('inside of a string is no trouble either', async () => {
    const text = deep(100_000);
    const called = { id: 'c', type: 'function', function: { name: 'x', arguments: text } };
    const messages = [
      user('Hi.'),
      { role: 'assistant', content: null, tool_calls: [called] },
      { role: 'tool', tool_call_id: 'c', content: 'yes' },
    ];
    const told = await failure(await test.chat({ messages }));
    expect(told.status).toBe(400);
    expect(await (await fetch(`${test.server.url}/health`)).json()).toMatchObject({
      model_status: 'loaded',
    });
  });
});

describe('paths', () => {
  it.each([
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/%2e%2e%2fsecret.txt',
    '/..%5csecret.txt',
    '/..\\secret.txt',
    '/assets/..%5c..%5csecret.txt',
    '/%252e%252e/secret.txt',
    '/..%c0%afsecret.txt',
    '//../secret.txt',
    '/.//..//secret.txt',
    '/secret.txt%00.html',
    '/%00',
    '/index.html%00',
    '/file:///etc/passwd',
    '//etc/passwd',
    '/etc/passwd',
    '/C:/Windows/win.ini',
    '/v1/../../secret.txt',
    '/v1/models/%00',
    '/v1/models/..%2f..%2fsecret.txt',
  ])('%s leads nowhere', async (target) => {
    const text = await test.raw(
      `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(text).toContain('"error":{');
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain('root:');
  });
});

describe('/health', () => {
  it('tells strangers only that it is there', async () => {
    const locked = await startTestServer({ models: ['scripted'], config: { apiKeys: ['k'] } });
    const health = async (key?: string) => {
      const headers: Record<string, string> = key ? { 'x-api-key': key } : {};
      return (await fetch(`${locked.server.url}/health`, { headers })).json();
    };
    expect(await health()).toEqual({ status: 'ok', name: 'pilotlight' });
    expect(await health('wrong')).toEqual({ status: 'ok', name: 'pilotlight' });
    expect(await health('k')).toMatchObject({ status: 'ok', model: 'scripted' });
    await locked.close();
  });

  it('names no folder to anybody', async () => {
    const text = await (await fetch(`${test.server.url}/health`)).text();
    for (const folder of [test.dataDir, os.homedir(), os.hostname()])
      expect(text).not.toContain(folder);
  });
});

describe('a page of an allowed origin', () => {
  const origin = 'https://app.example';

  it('asks first without a key, and then with one', async () => {
    const locked = await startTestServer({
      models: ['scripted'],
      config: { apiKeys: ['k'], allowedOrigins: [origin] },
    });
    const url = `${locked.server.url}/v1/models`;
    const wanted = { 'access-control-request-method': 'GET', origin };
    expect((await fetch(url, { method: 'OPTIONS', headers: wanted })).status).toBe(204);
    const shut = await fetch(url, { headers: { origin } });
    expect([shut.status, shut.headers.get('access-control-allow-origin')]).toEqual([401, origin]);
    const open = await fetch(url, { headers: { origin, authorization: 'Bearer k' } });
    expect([open.status, open.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
    const foreign = await fetch(url, {
      method: 'OPTIONS',
      headers: { ...wanted, origin: 'https://evil.example' },
    });
    expect([foreign.status, foreign.headers.get('access-control-allow-origin')]).toEqual([
      403,
      null,
    ]);
    await locked.close();
  });
});
