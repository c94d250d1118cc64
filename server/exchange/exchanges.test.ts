import http from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type RequestHandler } from 'express';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import type { GenerationObserver } from '../generation/stream.js';
import { doneEvent } from '../generation/test-generation.js';
import { requestLog } from '../http/request-log.js';
import type { Exchange, ExchangeEnd, ExchangeObserver } from './exchange.js';
import { Exchanges, exchangeOf } from './exchanges.js';

/** What an observer saw, in order. */
class Watcher implements ExchangeObserver {
  #tell!: (end: ExchangeEnd) => void;
  readonly calls: string[] = [];
  readonly routes: string[] = [];
  readonly ends: ExchangeEnd[] = [];
  readonly end = new Promise<ExchangeEnd>((resolve) => {
    this.#tell = resolve;
  });
  body = '';

  began({ head }: Exchange): void {
    this.calls.push('began');
    this.routes.push(head.route);
  }

  stepped(): void {
    this.calls.push('stepped');
  }

  sent(_exchange: Exchange, bytes: Uint8Array): void {
    this.calls.push('sent');
    this.body += Buffer.from(bytes).toString();
  }

  ended(_exchange: Exchange, end: ExchangeEnd): void {
    this.calls.push('ended');
    this.ends.push(end);
    this.#tell(end);
  }
}

let server: http.Server | null = null;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(handler: RequestHandler) {
  const watcher = new Watcher();
  const exchanges = new Exchanges([watcher]);
  const app = express();
  app.use(requestLog(pino({ level: 'silent' })), exchanges.middleware, handler);
  const listening = http.createServer(app);
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}/ask`;
  return { watcher, exchanges, url };
}

const accepted = { type: 'accepted', seq: 0, promptTokens: 7 } as const;
const token = (index: number) => ({ type: 'token', seq: 0, index, tokenId: 1, text: '' }) as const;

describe('an exchange', () => {
  it('is of the route as it is written, with a slash at its end or without', async () => {
    const { watcher, url } = await serve((_req, res) => {
      res.end();
    });
    for (const end of ['', '/', '/?a=b']) await (await fetch(url + end)).text();
    expect(watcher.routes).toEqual(['/ask', '/ask', '/ask']);
  });

  it('sees the bytes that the client gets, and ends before the last of them leaves', async () => {
    const { watcher, exchanges, url } = await serve((_req, res) => {
      res.write('Grüße, ');
      res.write(Buffer.from('bytes'));
      res.write('68657821', 'hex');
      res.end(' end');
    });
    const text = await (await fetch(url)).text();
    expect(text).toBe('Grüße, byteshex! end');
    // No waiting: whoever has the answer finds the end.
    expect(watcher.ends).toMatchObject([{ status: 200, complete: true, errorCode: null }]);
    expect(watcher.body).toBe(text);
    expect(watcher.calls).toEqual(['began', 'sent', 'sent', 'sent', 'sent', 'ended']);
    expect(exchanges.live.size).toBe(0);
  });

  it('counts each prompt once and all tokens, over several generations', async () => {
    const { watcher, url } = await serve((_req, res) => {
      const exchange = exchangeOf(res);
      const first = exchange.follow(0);
      const second = exchange.follow(2);
      first.step([accepted, token(0), { ...token(0), seq: 1 }]);
      first.step([
        doneEvent({ promptTokens: 7, cachedTokens: 3 }),
        doneEvent({ seq: 1, promptTokens: 7, cachedTokens: 3, finishReason: 'length' }),
      ]);
      first.end();
      second.step([accepted, token(0), doneEvent({ promptTokens: 7, cachedTokens: 1 })]);
      second.end();
      res.json({});
    });
    await fetch(url);
    expect(watcher.ends).toMatchObject([
      { promptTokens: 14, cachedTokens: 4, outputTokens: 3, finishReason: 'eog' },
    ]);
  });

  it('waits for the counts of a generation whose client has left', async () => {
    let generation: GenerationObserver | null = null;
    let tellLeft: (exchange: Exchange) => void;
    const left = new Promise<Exchange>((resolve) => {
      tellLeft = resolve;
    });
    const { watcher, url } = await serve((_req, res) => {
      const exchange = exchangeOf(res);
      generation = exchange.follow(0);
      exchange.gone.addEventListener('abort', () => tellLeft(exchange));
      res.write('x');
    });
    const leaving = new AbortController();
    const response = await fetch(url, { signal: leaving.signal });
    await response.body?.getReader().read();
    leaving.abort();
    const exchange = await left;
    expect(exchange.over.aborted).toBe(true);
    expect(watcher.ends).toEqual([]);
    const following = generation as GenerationObserver | null;
    following?.step([accepted, token(0), doneEvent({ finishReason: 'cancelled' })]);
    following?.end();
    expect(watcher.ends).toMatchObject([
      { complete: false, outputTokens: 1, promptTokens: 7, finishReason: 'cancelled' },
    ]);
  });

  it('ends once where the answer is cut off', async () => {
    const { watcher, url } = await serve((_req, res) => {
      res.write('x');
      setImmediate(() => res.destroy());
    });
    await expect(fetch(url).then((response) => response.text())).rejects.toThrow();
    await watcher.end;
    expect(watcher.ends).toMatchObject([{ status: 200, complete: false }]);
  });

  it('has no status where nothing was answered', async () => {
    const { watcher, url } = await serve((_req, res) => void res.destroy());
    await expect(fetch(url)).rejects.toThrow();
    expect(await watcher.end).toMatchObject({ status: 0, complete: false });
  });

  it('is over, with its client still there, when it is cancelled', async () => {
    const { exchanges, url } = await serve((_req, res) => {
      const exchange = exchangeOf(res);
      exchange.over.addEventListener('abort', () => {
        res.json({ cancelled: exchange.isCancelled, gone: exchange.gone.aborted });
      });
      for (const each of exchanges.live) each.cancel();
    });
    expect(await (await fetch(url)).json()).toEqual({ cancelled: true, gone: false });
  });

  it('knows the client by its user agent, cut to a sane length', async () => {
    let client = '';
    const { url } = await serve((_req, res) => {
      client = exchangeOf(res).head.client;
      res.end();
    });
    await fetch(url, { headers: { 'user-agent': 'x'.repeat(1000) } });
    expect(client).toBe('x'.repeat(200));
  });
});
