// What holds for a streamed answer in every format.
import type http from 'node:http';
import type { AddressInfo } from 'node:net';
import net from 'node:net';
import express, { type Request, type Response } from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpServer } from './http-server.js';
import { NdjsonStream } from './ndjson.js';
import { clientGone, EventStream } from './sse.js';

let server: http.Server | null = null;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Begins a request and hands out its socket, which reads nothing until it is told to. */
async function ask(handle: (req: Request, res: Response) => Promise<void>): Promise<net.Socket> {
  const app = express();
  app.get('/', handle);
  server = createHttpServer(app);
  const listening = server;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const socket = net.connect((listening.address() as AddressInfo).port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  socket.pause();
  return socket;
}

const payload = JSON.stringify('x'.repeat(64 * 1024));

describe.each([
  ['server-sent events', EventStream.open],
  ['lines of JSON', NdjsonStream.open],
] as const)('%s: a slow reader', (_, open) => {
  it('holds the writer up, and only lets it on when it has read', async () => {
    let sent = 0;
    let stuck: () => void = () => {};
    const isStuck = new Promise<void>((resolve) => {
      stuck = resolve;
    });
    const socket = await ask(async (req, res) => {
      const out = await open(req, res);
      while (sent < 1000) {
        const sending = out.send([payload]);
        if (out.behind) stuck();
        await sending;
        sent++;
      }
      await out.end();
    });
    await isStuck;
    // A writer that does not wait would be through by then. 64 MB are to be sent; the system's buffers hold far less.
    for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toBeLessThan(900);
    let received = 0;
    socket.on('data', (chunk) => {
      received += chunk.length;
    });
    socket.resume();
    await new Promise((resolve) => socket.on('close', resolve));
    expect(sent).toBe(1000);
    expect(received).toBeGreaterThan(1000 * payload.length);
  });

  it('that leaves lets the writer end', async () => {
    let end: (gone: boolean) => void = () => {};
    const ended = new Promise<boolean>((resolve) => {
      end = resolve;
    });
    const socket = await ask(async (req, res) => {
      const gone = clientGone(res);
      const out = await open(req, res);
      while (!out.closed) await out.send([payload]);
      await out.send(['"into the void"']);
      await out.end();
      end(gone.aborted);
    });
    socket.once('data', () => socket.destroy());
    socket.resume();
    expect(await ended).toBe(true);
  });
});
