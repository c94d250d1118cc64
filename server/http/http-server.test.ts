// Real sockets that send slowly, oddly or too much. Waits end with what the server does, never with a time.
import type http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import express, { type Response } from 'express';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { jsonBody } from './body.js';
import { errorHandler } from './errors.js';
import { createHttpServer, LIMITS, type ServerLimits } from './http-server.js';

let server: http.Server;
const sockets: net.Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Answers of GET /long, which the test writes. */
let long: Response[];

async function start(limits: Partial<ServerLimits> = {}): Promise<void> {
  long = [];
  const app = express();
  app.post('/body', jsonBody());
  app.post('/body', (req, res) => void res.json(req.body));
  app.get('/long', (_req, res) => {
    res.write('begun ');
    long.push(res);
  });
  app.get('/', (_req, res) => void res.json({}));
  app.use(errorHandler(pino({ enabled: false })));
  server = createHttpServer(app, { ...LIMITS, ...limits });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
}

interface Peer {
  socket: net.Socket;
  text: () => string;
  /** Resolves with all that was received when the server has closed the connection. */
  closed: Promise<string>;
  /** Resolves when what was received holds these words. */
  received: (words: string) => Promise<void>;
}

function connect(): Peer {
  const socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  let text = '';
  const arrived = new Set<() => void>();
  socket.on('data', (chunk) => {
    text += chunk.toString();
    for (const look of arrived) look();
  });
  // A refused sender may be reset while it is still sending.
  socket.on('error', () => {});
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  const received = (words: string) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (text.includes(words)) resolve();
      };
      arrived.add(look);
      look();
    });
  return { socket, text: () => text, closed, received };
}

/** Sends the same bytes again and again, until the connection is closed. */
function dribble({ socket }: Peer, head: string, bytes: string): void {
  socket.write(head);
  const timer = setInterval(() => socket.write(bytes), 5);
  socket.once('close', () => clearInterval(timer));
}

const QUICK = { headersMs: 150, requestMs: 150, checkMs: 20 };
const GET = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n`;
const POST = 'POST /body HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';

describe('a sender that is too slow', () => {
  it.each([
    ['with its first line', 'GET /', 'x'],
    ['with its headers', GET('/'), 'X-A: b\r\n'],
    ['with its body', `${POST}Content-Length: 1000000\r\n\r\n[`, ' '],
    ['with its chunks', `${POST}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n'],
    ['by saying nothing more', `${POST}Content-Length: 10\r\n\r\n`, ''],
  ])('%s is told so, and let go', async (_, head, bytes) => {
    await start(QUICK);
    const peer = connect();
    dribble(peer, head, bytes);
    const text = await peer.closed;
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
    expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '').error.message).toContain('in time');
  });

  it('costs others nothing, and an answer may take as long as it likes', async () => {
    await start(QUICK);
    const reader = connect();
    reader.socket.write(`${GET('/long')}\r\n`);
    await reader.received('begun');
    // All limits are over for the reader's request as well when the slow ones are gone.
    for (let i = 0; i < 2; i++) {
      const slow = connect();
      dribble(slow, GET('/'), 'X-A: b\r\n');
      await slow.closed;
    }
    long[0]?.end('and ended');
    await reader.received('and ended');
    expect(reader.text()).not.toContain('408');
    expect(reader.socket.destroyed).toBe(false);
  });
});

describe('a connection', () => {
  it('is closed when it has been idle for long', async () => {
    await start({ idleMs: 50 });
    const peer = connect();
    peer.socket.write(`${GET('/')}\r\n`);
    expect(await peer.closed).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('above the limit is closed, until there is room again', async () => {
    await start({ connections: 2 });
    const readers = [connect(), connect()];
    for (const reader of readers) {
      reader.socket.write(`${GET('/long')}\r\n`);
      await reader.received('begun');
    }
    const dropped = new Promise((resolve) => server.once('drop', resolve));
    const third = connect();
    await dropped;
    expect(await third.closed).toBe('');
    readers[0]?.socket.destroy();
    await new Promise((resolve) => long[0]?.once('close', resolve));
    const fourth = connect();
    fourth.socket.write(`${GET('/')}Connection: close\r\n\r\n`);
    expect(await fourth.closed).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('headers', () => {
  const lines = (count: number) =>
    Array.from({ length: count }, (_, i) => `X-${i}: y\r\n`).join('');

  it('are taken up to their limits', async () => {
    await start();
    const peer = connect();
    peer.socket.write(
      `${GET('/')}Connection: close\r\nX: ${'x'.repeat(30_000)}\r\n${lines(197)}\r\n`,
    );
    expect(await peer.closed).toMatch(/^HTTP\/1\.1 200 /);
  });

  it.each([
    ['too many of them', lines(199)],
    // Node has a limit of its own, above which it drops headers without a word.
    ['far too many of them', 'a:\r\n'.repeat(5_000)],
    ['a long one', `X: ${'x'.repeat(33_000)}\r\n`],
    ['a very long one', `X: ${'x'.repeat(5_000_000)}\r\n`],
  ])('beyond them are refused: %s', async (_, more) => {
    await start();
    const peer = connect();
    peer.socket.write(`${GET('/')}Connection: close\r\n${more}\r\n`);
    const text = await peer.closed;
    expect(text).toMatch(/^HTTP\/1\.1 431 /);
    expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '').error.type).toBe('invalid_request_error');
  });
});

it('puts no refusal into the middle of an answer', async () => {
  await start();
  const peer = connect();
  peer.socket.write(`${GET('/long')}\r\n`);
  await peer.received('begun');
  peer.socket.write('no HTTP at all\r\n\r\n');
  expect(await peer.closed).not.toContain('400');
});
