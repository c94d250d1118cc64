import http from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Request, type Response } from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpServer } from './http-server.js';
import { clientGone, EventStream } from './sse.js';

let server: http.Server | null = null;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(handle: (req: Request, res: Response) => Promise<void>): Promise<number> {
  const app = express();
  app.disable('x-powered-by');
  app.get('/', handle);
  server = createHttpServer(app);
  const listening = server;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  return (listening.address() as AddressInfo).port;
}

function read(port: number): Promise<{ headers: Headers; text: string }> {
  return fetch(`http://127.0.0.1:${port}/`).then(async (response) => ({
    headers: response.headers,
    text: await response.text(),
  }));
}

describe('framing', () => {
  it('is data lines with a space, blank lines between, and nothing else', async () => {
    const port = await serve(async (req, res) => {
      const out = await EventStream.open(req, res);
      await out.send(['{"a":1}', '{"b":"\\n"}']);
      await out.end(['[DONE]']);
    });
    const { headers, text } = await read(port);
    expect(text).toBe('data: {"a":1}\n\ndata: {"b":"\\n"}\n\ndata: [DONE]\n\n');
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-cache, no-transform');
    expect(headers.get('x-accel-buffering')).toBe('no');
  });

  it('names an event in a line before its data', async () => {
    const port = await serve(async (req, res) => {
      const out = await EventStream.open(req, res);
      await out.send([{ event: 'a.b', data: '{"a":1}' }, '{"b":2}']);
      await out.end();
    });
    expect((await read(port)).text).toBe('event: a.b\ndata: {"a":1}\n\ndata: {"b":2}\n\n');
  });

  it('sends its headers before there is anything to say', async () => {
    let finish: () => void = () => {};
    const port = await serve(async (req, res) => {
      const out = await EventStream.open(req, res);
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      await out.end(['late']);
    });
    // fetch resolves with the headers; nothing has been sent after them.
    const response = await fetch(`http://127.0.0.1:${port}/`);
    expect(response.status).toBe(200);
    finish();
    expect(await response.text()).toBe('data: late\n\n');
  });

  it('writes a batch in one go', async () => {
    let writes = 0;
    const port = await serve(async (req, res) => {
      const out = await EventStream.open(req, res);
      const write = res.write.bind(res);
      res.write = ((chunk: never) => {
        writes++;
        return write(chunk);
      }) as never;
      await out.send(['1', '2', '3']);
      await out.end();
    });
    expect((await read(port)).text).toBe('data: 1\n\ndata: 2\n\ndata: 3\n\n');
    expect(writes).toBe(1);
  });

  it('keeps the connection for the next request', async () => {
    const port = await serve(async (req, res) => {
      const out = await EventStream.open(req, res);
      await out.end(['[DONE]']);
    });
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const localPorts: (number | undefined)[] = [];
    for (let i = 0; i < 3; i++) {
      await new Promise<void>((resolve, reject) => {
        const request = http.get({ port, host: '127.0.0.1', agent }, (response) => {
          localPorts.push(response.socket.localPort);
          response.resume();
          response.on('end', resolve);
        });
        request.on('error', reject);
      });
      // The agent takes the socket back on the next turn of the loop.
      await new Promise((resolve) => setImmediate(resolve));
    }
    agent.destroy();
    expect(new Set(localPorts).size).toBe(1);
  });
});

describe('keep-alive', () => {
  it('tells news as a comment, each once', async () => {
    const news = ['loading 1 %', 'loading 1 %', 'loading 2 %'];
    let asked = 0;
    const port = await serve(async (req, res) => {
      let done: () => void = () => {};
      const over = new Promise<void>((resolve) => {
        done = resolve;
      });
      const out = await EventStream.open(req, res, () => {
        const text = news[asked++] ?? null;
        if (text === null) done();
        return text;
      });
      await over;
      await out.end(['x']);
    });
    expect((await read(port)).text).toBe(': loading 1 %\n\n: loading 2 %\n\ndata: x\n\n');
  }, 20_000);
});

describe('clientGone', () => {
  it('stays silent when the answer was complete', async () => {
    let gone: AbortSignal | null = null;
    const port = await serve(async (_req, res) => {
      gone = clientGone(res);
      res.end('ok');
    });
    const agent = new http.Agent({ keepAlive: true });
    await new Promise<void>((resolve) => {
      http.get({ port, host: '127.0.0.1', agent }, (response) => {
        response.resume();
        response.on('end', resolve);
      });
    });
    agent.destroy();
    expect((gone as AbortSignal | null)?.aborted).toBe(false);
  });
});
