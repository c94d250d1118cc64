// What users of other local servers have reported in public, each as a small input; the numbers only tell them apart.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure, startTestServer, type TestServer } from '../test-server.js';

let test: TestServer;
beforeAll(async () => {
  test = await startTestServer({ models: ['scripted'] });
});
afterAll(() => test.close());

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
