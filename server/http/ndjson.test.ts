import http from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Response } from 'express';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { NdjsonStream } from './ndjson.js';

let server: http.Server | null = null;
afterEach(() => {
  vi.useRealTimers();
  server?.closeAllConnections();
  server?.close();
});

async function serve(handle: (out: NdjsonStream, res: Response) => Promise<void>): Promise<number> {
  const app = express();
  app.get('/', async (req, res) => handle(await NdjsonStream.open(req, res), res));
  server = http.createServer(app);
  const listening = server;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  return (listening.address() as AddressInfo).port;
}

describe('lines', () => {
  it('are one JSON text each, written in one go for a batch', async () => {
    let writes = 0;
    const port = await serve(async (out, res) => {
      const write = res.write.bind(res);
      res.write = ((chunk: never) => {
        writes++;
        return write(chunk);
      }) as never;
      await out.send(['{"a":1}', '{"b":"\\n"}']);
      await out.send([]);
      await out.end(['{"c":3}']);
    });
    const response = await fetch(`http://127.0.0.1:${port}/`);
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    expect(response.headers.get('cache-control')).toBe('no-cache, no-transform');
    expect(await response.text()).toBe('{"a":1}\n{"b":"\\n"}\n{"c":3}\n');
    expect(writes).toBe(2);
  });

  it('stay whole JSON texts after a silence', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'performance'] });
    const port = await serve(async (out) => {
      await out.send(['{"a":1}']);
      vi.advanceTimersByTime(20_000);
      await out.end(['{"b":2}']);
    });
    const text = await (await fetch(`http://127.0.0.1:${port}/`)).text();
    expect(text).toBe('{"a":1}\n  {"b":2}\n');
    const lines = text.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([{ a: 1 }, { b: 2 }]);
  });
});
