// What went wrong for users of other local servers, as small inputs. The ids are those of our list of such cases.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCompletion, errorBodySchema } from '../protocol/openai.js';
import { LONG_CYCLE_TEXT, SCRIPTED_SENTENCE } from '../scripts/test-models/scripts.js';
import { wiredModel } from '../scripts/test-models/wired-model.js';
import { join, payloads, startTestServer, type TestServer, user } from './test-server.js';

/** As some models have it: no system role, and strict turns. */
const STRICT_TEMPLATE = String.raw`{%- for message in messages %}
{%- if (message.role == 'user') != (loop.index0 % 2 == 0) %}
{{- raise_exception('Roles must alternate: user, assistant, user, ...') }}
{%- endif %}
{{- '<|im_start|>' ~ message.role ~ '\n' ~ message.content ~ '<|im_end|>\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
{{- '<|im_start|>assistant\n' }}
{%- endif %}`;

let test: TestServer;
beforeAll(async () => {
  // B56: all of this runs in a folder with spaces and letters beyond ASCII.
  test = await startTestServer({
    models: ['scripted', 'scripted-long', 'random', 'broken-utf8'],
    folder: 'tést 模型 dir',
  });
  const strict = wiredModel({
    name: 'strict',
    chains: [{ pieces: ['Fine', '.'], ending: 'turn-end', start: 'always' }],
    template: STRICT_TEMPLATE,
  });
  await writeFile(path.join(test.modelsDir, 'strict 模型.gguf'), strict);
  await test.until(({ models }) => models.some(({ id }) => id === 'strict 模型'));
});
afterAll(() => test.close());

interface Failure {
  status: number;
  message: string;
  param: string | null;
  code: string | null;
}

async function failure(response: Response): Promise<Failure> {
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const { error } = errorBodySchema.parse(await response.json());
  expect(Object.keys(error)).toEqual(['message', 'type', 'param', 'code']);
  return { status: response.status, ...error };
}

async function answer(body: object): Promise<ChatCompletion> {
  const response = await test.chat(body);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return JSON.parse(text);
}

const contentOf = (completion: ChatCompletion) => completion.choices[0]?.message.content;

async function streamed(body: object): Promise<string> {
  const response = await test.chat({ ...body, stream: true });
  expect(response.status).toBe(200);
  return response.text();
}

describe('streams', () => {
  const request = { model: 'scripted', messages: [user('Hi.')], max_completion_tokens: 5 };

  it('B01, B02: finish_reason is in every choice, null until the end', async () => {
    const chunks = payloads(await streamed(request)).slice(0, -1);
    const reasons = chunks.map((chunk) => JSON.parse(chunk).choices[0].finish_reason);
    expect(reasons.slice(0, -1).every((reason) => reason === null)).toBe(true);
    expect(reasons.at(-1)).toBe('length');
  });

  it('B03: the finish chunk comes after all text, with an empty delta', async () => {
    const text = await streamed(request);
    const last = JSON.parse(payloads(text).at(-2) ?? '');
    expect(last.choices[0].delta).toEqual({});
    expect(join(text).content).toBe('Hello! This answer was');
  });

  it('B04: usage has a chunk of its own, right before [DONE]', async () => {
    const text = await streamed({ ...request, stream_options: { include_usage: true } });
    const [usage, done] = payloads(text).slice(-2);
    expect(done).toBe('[DONE]');
    expect(JSON.parse(usage ?? '')).toMatchObject({
      choices: [],
      usage: { completion_tokens: 5, total_tokens: expect.any(Number) },
    });
    for (const chunk of payloads(text).slice(0, -2)) expect(JSON.parse(chunk).usage).toBeNull();
  });

  it('B08: bytes that are no UTF-8 do not break the text; streamed and collected are the same', async () => {
    for (const model of ['broken-utf8', 'random']) {
      const same = { model, messages: [user('Emoji, please.')], seed: 7, max_tokens: 200 };
      const text = join(await streamed(same)).content;
      expect(text).toBe(contentOf(await answer(same)));
      expect(text).not.toBe('');
      if (model === 'broken-utf8') expect(text).toContain('Café in 漢字 is 😀');
    }
  });

  it('B13: the role chunk has empty text, and every event ends with a blank line', async () => {
    const text = await streamed(request);
    expect(text).toMatch(/^(data: (\{.*\}|\[DONE\])\n\n)+$/);
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    const first = JSON.parse(payloads(text)[0] ?? '');
    expect(first.choices[0].delta).toEqual({ role: 'assistant', content: '' });
  });

  it('B14: headers are there before the first token', async () => {
    // Resolves with the headers; the endless text has hardly begun.
    const response = await test.chat({ ...request, model: 'scripted-long', stream: true });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-cache, no-transform');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    await response.text();
  });

  it('B17: one id, one created and one model in all chunks', async () => {
    const chunks = payloads(await streamed(request)).slice(0, -1);
    const heads = chunks.map((chunk) => {
      const { id, created, model, object } = JSON.parse(chunk);
      return JSON.stringify({ id, created, model, object });
    });
    expect(new Set(heads).size).toBe(1);
    expect(heads[0]).toContain('"chat.completion.chunk"');
  });
});

describe('stop strings', () => {
  const request = { model: 'scripted-long', messages: [user('Go.')], max_tokens: 40 };

  it('B10: cut exactly before the text, also over token borders and inside a token', async () => {
    // The model writes "alpha beta gamma delta " in pieces that cross the words' borders.
    for (const stop of ['beta gamma', ['zzz', 'beta gamma'], 'eta', 'beta gamma delta alpha b']) {
      const wanted = LONG_CYCLE_TEXT.repeat(9).split([stop].flat().at(-1) ?? '')[0];
      const text = await streamed({ ...request, stop });
      expect(join(text)).toMatchObject({ content: wanted, finishReason: 'stop' });
      expect(contentOf(await answer({ ...request, stop }))).toBe(wanted);
    }
  });

  it('B11: a beginning that turns out to be none is sent after all', async () => {
    const stop = ['alpha beta gamma delta omega'];
    const free = contentOf(await answer(request));
    const text = join(await streamed({ ...request, stop }));
    expect(text).toMatchObject({ content: free, finishReason: 'length' });
    expect(contentOf(await answer({ ...request, stop }))).toBe(free);
  });
});

describe('doors', () => {
  const ROUTES = [
    'GET /',
    'GET /health',
    'GET /v1/models',
    'GET /nope',
    'POST /v1/chat/completions',
  ];

  it.each(ROUTES)('B15: a foreign Host is refused at %s', async (route) => {
    const text = await test.raw(
      `${route} HTTP/1.1\r\nHost: evil.example:${test.port}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 403 /);
    expect(text).toContain('"code":"host_not_allowed"');
  });

  it.each(['localhost', '127.0.0.1', '[::1]'])('B15: %s passes', async (name) => {
    const text = await test.raw(
      `GET /v1/models HTTP/1.1\r\nHost: ${name}:${test.port}\r\nConnection: close\r\n\r\n`,
    );
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
  });

  it.each(['null', 'http://evil.example', 'http://localhost:1'])(
    'B15: a request from the origin %s is refused',
    async (origin) => {
      const response = await fetch(`${test.server.url}/v1/models`, { headers: { origin } });
      expect((await failure(response)).status).toBe(403);
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    },
  );

  it.each<[string, string, number, string | null]>([
    ['GET', '/nope', 404, null],
    ['GET', '/v1', 404, null],
    ['GET', '/', 404, null],
    ['GET', '/V1/models', 404, null],
    ['GET', '/v1/chat/completions', 405, 'POST'],
    ['DELETE', '/v1/chat/completions', 405, 'POST'],
    ['OPTIONS', '/v1/chat/completions', 405, 'POST'],
    ['POST', '/v1/models', 405, 'GET, HEAD'],
    ['PUT', '/v1/models/scripted', 405, 'GET, HEAD'],
    ['POST', '/health', 405, 'GET, HEAD'],
    ['POST', '/pilotlight/events', 405, 'GET'],
    ['GET', '/pilotlight/current-model', 405, 'PUT'],
    ['GET', '/v1/models/%E0%A4%A', 400, null],
  ])('B16: %s %s is %i', async (method, url, status, allow) => {
    const response = await fetch(test.server.url + url, { method });
    expect((await failure(response)).status).toBe(status);
    expect(response.headers.get('allow')).toBe(allow);
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
  });

  it('B16: HEAD is as GET without a body', async () => {
    for (const [url, status] of [
      ['/v1/models', 200],
      ['/health', 200],
      ['/nope', 404],
      ['/pilotlight/events', 405],
    ] as const) {
      const response = await fetch(test.server.url + url, { method: 'HEAD' });
      expect([url, response.status, await response.text()]).toEqual([url, status, '']);
    }
  });

  it.each<[string, RequestInit, number]>([
    ['a trailing comma', { body: '{"messages": [],}' }, 400],
    ['no JSON at all', { body: 'hello' }, 400],
    ['half of it', { body: '{"messages": [{"role": "us' }, 400],
    ['nothing', {}, 400],
    ['text/plain', { body: '{}', headers: { 'content-type': 'text/plain' } }, 400],
    [
      'a form',
      { body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      400,
    ],
    [
      'an odd charset',
      { body: '{}', headers: { 'content-type': 'application/json; charset=x' } },
      415,
    ],
    ['an odd encoding', { body: '{}', headers: { 'content-encoding': 'x' } }, 415],
  ])('B16: a body with %s is %s', async (_, init, status) => {
    const headers = { 'content-type': 'application/json', ...init.headers };
    const response = await fetch(`${test.server.url}/v1/chat/completions`, {
      method: 'POST',
      ...init,
      headers,
    });
    expect((await failure(response)).status).toBe(status);
  });

  it('a body beyond the limit is refused with the limit', async () => {
    const told = await failure(await test.chat({ messages: 'x'.repeat(33 * 1024 * 1024) }));
    expect(told.status).toBe(413);
    expect(told.message).toContain('33,554,432 bytes');
  });

  it('B16: what is not HTTP gets an answer in JSON too', async () => {
    const text = await test.raw('HELLO\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '').error.type).toBe('invalid_request_error');
    const long = await test.raw(
      `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(99_999)}\r\n\r\n`,
    );
    expect(long).toMatch(/^HTTP\/1\.1 431 /);
  });
});

describe('messages', () => {
  const tokens = async (messages: object[], model = 'scripted') =>
    (await answer({ model, messages, max_tokens: 1 })).usage.prompt_tokens;

  it('B35: system and developer messages anywhere are one system message at the start', async () => {
    const mixed = [
      { role: 'system', content: 'One.' },
      user('Hi.'),
      { role: 'developer', content: 'Two.' },
      user('So?'),
    ];
    const merged = [{ role: 'system', content: 'One.\n\nTwo.' }, user('Hi.'), user('So?')];
    expect(await tokens(mixed)).toBe(await tokens(merged));
  });

  it('B36: a template without a system role still gets to know it', async () => {
    const model = 'strict 模型';
    const messages = [{ role: 'system', content: 'Be kind.' }, user('Hi.')];
    expect(contentOf(await answer({ model, messages }))).toBe('Fine.');
    expect(await tokens(messages, model)).toBeGreaterThan(await tokens([user('Hi.')], model));
  });

  it('B36: where a template refuses, the error says so in JSON', async () => {
    const messages = [user('Hi.'), user('Hello?')];
    const told = await failure(await test.chat({ model: 'strict 模型', messages, stream: true }));
    expect(told).toMatchObject({ status: 400, param: 'messages', code: 'template_failed' });
    expect(told.message).toContain('Roles must alternate');
  });

  it('B37: text parts are as good as a string; an image is refused by its place', async () => {
    const part = (text: string) => ({ type: 'text', text });
    const asParts = [{ role: 'system', content: [part('One.'), part('Two.')] }, user('Hi.')];
    const asString = [{ role: 'system', content: 'One.\nTwo.' }, user('Hi.')];
    expect(await tokens(asParts)).toBe(await tokens(asString));
    const image = { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:,' } }] };
    const told = await failure(await test.chat({ messages: [image] }));
    expect(told).toMatchObject({ status: 400, param: 'messages[0].content[0].type' });
  });
});

describe('parameters', () => {
  const request = { model: 'random', messages: [user('Hi.')], max_tokens: 24 };

  it('B39: reaching the limit is "length", streamed or not', async () => {
    const short = { ...request, model: 'scripted-long', max_tokens: 8 };
    expect((await answer(short)).choices[0]?.finish_reason).toBe('length');
    expect(join(await streamed(short)).finishReason).toBe('length');
    expect((await answer(short)).usage.completion_tokens).toBe(8);
  });

  it('B41: a seed decides the text', async () => {
    const say = async (seed: number) =>
      contentOf(await answer({ ...request, seed, temperature: 1 }));
    expect(await say(42)).toBe(await say(42));
    expect(await say(-1)).toBe(await say(-1));
    expect(await say(43)).not.toBe(await say(42));
  });

  it('B44: logprobs are refused by name, alone or with top_logprobs', async () => {
    expect(await failure(await test.chat({ ...request, logprobs: true }))).toMatchObject({
      status: 400,
      param: 'logprobs',
    });
    expect(await failure(await test.chat({ ...request, top_logprobs: 2 }))).toMatchObject({
      status: 400,
      param: 'top_logprobs',
    });
  });

  it('B45: logit_bias bans and forces tokens of this model, and refuses others', async () => {
    const scripted = { model: 'scripted', messages: [user('Hi.')], max_tokens: 1 };
    const free = contentOf(await answer(scripted));
    const forced = contentOf(await answer({ ...request, max_tokens: 3, logit_bias: { 300: 100 } }));
    // The same token three times.
    expect(forced).toBe((forced ?? '').slice(0, (forced ?? '').length / 3).repeat(3));
    expect(SCRIPTED_SENTENCE.startsWith(free ?? '?')).toBe(true);
    for (const logit_bias of [{ 99999999: 1 }, { x: 1 }, { 5: 101 }]) {
      const told = await failure(await test.chat({ ...scripted, logit_bias }));
      expect(told).toMatchObject({ status: 400, param: 'logit_bias' });
    }
  });

  it('B46: null means the default', async () => {
    const nulls = Object.fromEntries(
      ['stop', 'n', 'seed', 'max_completion_tokens', 'logit_bias', 'stream', 'tools'].map(
        (name) => [name, null],
      ),
    );
    const scripted = { ...nulls, model: null, messages: [user('Hi.')], temperature: null };
    expect(contentOf(await answer({ ...scripted, max_tokens: null }))).toBe(SCRIPTED_SENTENCE);
  });

  it('lists what nobody knows in a header, and nothing else there', async () => {
    const odd = await test.chat({ ...request, foo: 1, user: 'me', stream: true });
    expect(odd.headers.get('x-pilotlight-ignored')).toBe('foo');
    await odd.text();
    const plain = await test.chat({ ...request, user: 'me' });
    expect(plain.headers.get('x-pilotlight-ignored')).toBeNull();
  });
});

describe('cancelling', () => {
  it('B51: a queued request whose client has left never runs', async () => {
    const one = await startTestServer({
      models: ['scripted-long'],
      config: { parallel: 1, contextLength: 4096 },
    });
    try {
      const request = { messages: [user('Go.')], stream: true };
      const a = new AbortController();
      const b = new AbortController();
      const first = await one.chat(request, { signal: a.signal });
      await one.until(({ running }) => running === 1);
      const second = one.chat(request, { signal: b.signal });
      await one.until(({ waiting }) => waiting === 1);
      b.abort();
      await (await second.catch(() => null))?.text().catch(() => {});
      await one.until(({ running, waiting }) => running === 1 && waiting === 0);
      const third = one.chat({ ...request, max_tokens: 3 });
      await one.until(({ waiting }) => waiting === 1);
      a.abort();
      await first.text().catch(() => {});
      expect(join(await (await third).text())).toMatchObject({ finishReason: 'length' });
      await one.until(({ running, waiting }) => running === 0 && waiting === 0);
    } finally {
      await one.close();
    }
  });
});
