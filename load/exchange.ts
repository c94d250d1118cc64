/**
 * One HTTP request over a plain socket of its own, and its answer. The client shares the machine with the server it
 * measures, so it does as little as it can for each event; times are taken before a byte is looked at.
 */
import net from 'node:net';
import tls from 'node:tls';
import type { Target } from './api.js';
import { ResponseReader } from './response-reader.js';

/** How an exchange ended. */
export type ExchangeEnd =
  /** The response is complete. */
  | { kind: 'whole' }
  /** The last event has come, but the server leaves the response open. */
  | { kind: 'left-open' }
  /** The connection was over before the response was. */
  | { kind: 'cut' }
  /** What came is not HTTP. */
  | { kind: 'foreign'; problem: string }
  | { kind: 'timeout' }
  /** The caller's signal. */
  | { kind: 'stopped' }
  /** A failure of the system: before the connection stood, or later. */
  | { kind: 'unreachable' | 'broken'; code: string; message: string };

export interface Exchange {
  /** On the clock of performance.now(), before the connection is opened. */
  begunAt: number;
  /** Milliseconds until the connection was over. */
  endMs: number;
  end: ExchangeEnd;
  response: ResponseReader;
}

export interface ExchangeOptions {
  signal?: AbortSignal | undefined;
  /** Milliseconds for all of it; null: as long as it takes. */
  timeoutMs?: number | null;
}

/** After its last event a response has this long to end. */
const CLOSE_MS = 2000;

/**
 * @param payload JSON; null asks with GET
 * @param onEvent gets the data of each event as latin1 and the time its packet came (milliseconds since the request
 *   was begun); says whether it was the last
 */
export function exchange(
  target: Target,
  payload: string | null,
  onEvent: (data: string, atMs: number) => boolean,
  { signal, timeoutMs = null }: ExchangeOptions = {},
): Promise<Exchange> {
  const [head, body] = requestOf(target, payload);
  return new Promise((resolve) => {
    const begunAt = performance.now();
    let atMs = 0;
    let end: ExchangeEnd | null = null;
    let closing: NodeJS.Timeout | undefined;
    const response = new ResponseReader((data) => {
      if (!onEvent(data, atMs) || closing !== undefined) return;
      closing = setTimeout(finish, CLOSE_MS, { kind: 'left-open' });
    });
    const { host, port } = target;
    const socket = target.isTls
      ? tls.connect({ host, port, ...(net.isIP(host) ? {} : { servername: host }) })
      : net.connect({ host, port, noDelay: true });
    const finish = (how: ExchangeEnd) => {
      end ??= how;
      socket.destroy();
    };
    const stop = () => finish({ kind: 'stopped' });
    const limit =
      timeoutMs === null ? undefined : setTimeout(finish, timeoutMs, { kind: 'timeout' });
    signal?.addEventListener('abort', stop);
    let isConnected = false;
    socket.on(target.isTls ? 'secureConnect' : 'connect', () => {
      isConnected = true;
      socket.write(head);
      socket.write(body);
    });
    socket.on('data', (bytes) => {
      atMs = performance.now() - begunAt;
      response.push(bytes.toString('latin1'));
      if (response.problem !== null) finish({ kind: 'foreign', problem: response.problem });
      else if (response.done) finish({ kind: 'whole' });
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      const { code = '', message } = error;
      end ??= { kind: isConnected ? 'broken' : 'unreachable', code, message };
    });
    socket.on('close', () => {
      signal?.removeEventListener('abort', stop);
      clearTimeout(limit);
      clearTimeout(closing);
      const how = end ?? { kind: response.isWhole ? 'whole' : 'cut' };
      resolve({ begunAt, endMs: performance.now() - begunAt, end: how, response });
    });
    if (signal?.aborted) stop();
  });
}

function requestOf({ host, port, path, key }: Target, payload: string | null): [string, Buffer] {
  const body = Buffer.from(payload ?? '');
  const name = net.isIPv6(host) ? `[${host}]` : host;
  const lines = [
    `${payload === null ? 'GET' : 'POST'} ${path} HTTP/1.1`,
    `Host: ${name}:${port}`,
    // By this name a Pilotlight keeps account of it.
    'User-Agent: pilotlight-bench',
    ...(payload === null
      ? []
      : ['Content-Type: application/json', `Content-Length: ${body.length}`]),
    ...(key === null ? [] : [`Authorization: Bearer ${key}`]),
    'Connection: close',
  ];
  return [`${lines.join('\r\n')}\r\n\r\n`, body];
}
