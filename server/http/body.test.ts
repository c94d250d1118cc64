import type http from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import express from 'express';
import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jsonBody } from './body.js';
import { errorHandler } from './errors.js';

let server: http.Server;
beforeAll(async () => {
  const app = express();
  app.post('/', jsonBody(1_000_000));
  app.post('/', (req, res) => void res.json({ body: req.body }));
  app.use(errorHandler(pino({ enabled: false })));
  await new Promise<void>((resolve) => {
    server = app.listen(0, '127.0.0.1', () => resolve());
  });
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

async function post(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });
  return { status: response.status, answer: (await response.json()) as Record<string, never> };
}

const nested = (depth: number, open = '[', close = ']', inside = '') =>
  open.repeat(depth) + inside + close.repeat(depth);

describe('a body', () => {
  it('arrives as it was sent', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        const { status, answer } = await post(JSON.stringify(value));
        expect(status).toBe(200);
        expect(JSON.stringify(answer.body)).toBe(JSON.stringify(value));
      }),
      { numRuns: 50 },
    );
  });

  it('may be 256 levels deep', async () => {
    expect((await post(nested(256))).status).toBe(200);
    expect((await post(nested(256, '{"a":', '}', '1'))).status).toBe(200);
  });

  it.each([
    ['257 levels of lists', nested(257)],
    ['257 levels of objects', nested(257, '{"a":', '}', '1')],
    ['100,000 levels of lists', nested(100_000)],
    ['100,000 levels of objects', nested(100_000, '{"a":', '}', '1')],
    ['a megabyte of opening brackets', '['.repeat(1_000_000)],
    ['brackets after a string with a quote', nested(257, '["\\"",', ']', '1')],
    ['brackets after a string that ends with a backslash', nested(257, '["\\\\",', ']', '1')],
  ])('is refused with %s', async (_, body) => {
    const { status, answer } = await post(body);
    expect([status, answer.error]).toMatchObject([400, { code: 'nested_too_deeply' }]);
  });

  it('may hold any number of brackets in its strings', async () => {
    for (const text of ['['.repeat(10_000), '\\"[{'.repeat(1_000), `${'\\\\'.repeat(9)}"{{{`]) {
      const { status, answer } = await post(JSON.stringify({ text }));
      expect([status, answer]).toEqual([200, { body: { text } }]);
    }
  });

  it.each([
    '"',
    '"\\',
    '{"a',
    '["',
    ']',
    '}'.repeat(300),
    `"${'['.repeat(300)}`,
    '\\"[',
    'nul',
    ' ',
  ])('that is no JSON is refused: %s', async (body) => {
    const { status, answer } = await post(body);
    expect([status, answer.error]).toMatchObject([400, { code: 'invalid_json' }]);
  });

  it('that is not UTF-8 is refused, by what it says and by what it is', async () => {
    const type = 'application/json; charset=';
    expect((await post('{}', { 'content-type': `${type}UTF-8` })).status).toBe(200);
    expect((await post('\ufeff{}')).status).toBe(200);
    for (const charset of ['utf-16', 'utf-16le', 'utf-7', 'iso-8859-1', '""'])
      expect((await post('{}', { 'content-type': type + charset })).status).toBe(415);
    expect((await post(Uint8Array.of(0x22, 0xe9, 0x22))).status).toBe(400);
  });

  it('is no larger than the limit, also once it is unpacked', async () => {
    const bomb = new Uint8Array(gzipSync(' '.repeat(50_000_000)));
    expect(bomb.length).toBeLessThan(100_000);
    const packed = await post(bomb, { 'content-encoding': 'gzip' });
    expect([packed.status, packed.answer.error]).toMatchObject([
      413,
      { code: 'request_too_large' },
    ]);
    expect((await post(' '.repeat(1_000_001))).status).toBe(413);
  });
});
