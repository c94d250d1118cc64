/** HTTP servers with limits, and an answer in JSON also for what is not HTTP. */
import http, { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { withOriginForm } from './absolute-form.js';
import { ApiError } from './errors.js';

export interface ServerLimits {
  /** Milliseconds for a request's headers: a slow sender must not hold a connection for nothing. */
  headersMs: number;
  /** Milliseconds for a whole request, also one that comes a byte at a time: 32 MB over a slow network. */
  requestMs: number;
  /** How often these two are looked at, in milliseconds: a request may take that much longer. */
  checkMs: number;
  /** Milliseconds that an idle connection is kept: longer than clients keep theirs, so that they close first. */
  idleMs: number;
  /** All header lines of a request in bytes: a browser sends the cookies of every server on this machine. */
  headerBytes: number;
  /** Header lines of a request: clients and proxies send a few dozen. */
  headers: number;
  /**
   * Open connections: far more than can be answered at the same time, and far fewer than file descriptors there are, so
   * that models can be loaded whatever strangers do.
   */
  connections: number;
}

export const LIMITS: ServerLimits = {
  headersMs: 20_000,
  requestMs: 300_000,
  checkMs: 5_000,
  idleMs: 75_000,
  headerBytes: 32 * 1024,
  headers: 200,
  connections: 2_048,
};

/** Milliseconds of silence after which a peer is asked whether it still exists. */
const PROBE_MS = 30_000;

/** Milliseconds that a refused peer gets to read why; closing at once would take the words back with what it sent. */
const LINGER_MS = 1_000;

/**
 * There is none on the time of an answer: a model may think for long. Slow readers of streams are the business of
 * sse.ts.
 */
export function createHttpServer(
  listener: RequestListener,
  limits: ServerLimits = LIMITS,
): http.Server {
  const open = new WeakMap<Duplex, ServerResponse>();
  const server = http.createServer(
    {
      // The guard asks for it, with an answer of its own.
      requireHostHeader: false,
      headersTimeout: Math.min(limits.headersMs, limits.requestMs),
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.idleMs,
      connectionsCheckingInterval: limits.checkMs,
      maxHeaderSize: limits.headerBytes,
      keepAlive: true,
      keepAliveInitialDelay: PROBE_MS,
      noDelay: true,
    },
    withOriginForm((req, res) => {
      open.set(req.socket, res);
      if (tooManyHeaders(req, limits.headers)) refuseHeaders(res, limits.headers);
      else listener(req, res);
    }),
  );
  // Node drops what is above its own limit without a word, so ours is looked at before.
  server.maxHeadersCount = 0;
  server.maxConnections = limits.connections;
  server.on('clientError', (error, socket) => answerClientError(error, socket, open.get(socket)));
  return server;
}

/** rawHeaders has names and values in turn. */
function tooManyHeaders(req: IncomingMessage, limit: number): boolean {
  return req.rawHeaders.length > 2 * limit;
}

function refuseHeaders(res: ServerResponse, limit: number): void {
  const error = new ApiError(431, `The request has more than ${limit} headers.`);
  const body = JSON.stringify(error.body());
  res.writeHead(error.status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  res.end(body);
}

/** @param answer The latest one of this connection. */
function answerClientError(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  answer: ServerResponse | undefined,
): void {
  // What follows the bytes that made no sense makes none either, and comes here again.
  if (socket.writableEnded && !socket.destroyed) return;
  const hasBegun = answer?.headersSent === true && !answer.writableFinished;
  if (error.code === 'ECONNRESET' || !socket.writable || hasBegun) {
    socket.destroy();
    return;
  }
  const [status, phrase, message] = clientErrorAnswer(error.code);
  const body = JSON.stringify(new ApiError(status, message).body());
  socket.end(
    `HTTP/1.1 ${status} ${phrase}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
  const linger = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(linger));
}

function clientErrorAnswer(code: string | undefined): [number, string, string] {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return [431, 'Request Header Fields Too Large', 'The request headers are too large.'];
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return [408, 'Request Timeout', 'The request did not arrive in time.'];
    default:
      return [400, 'Bad Request', 'This is not a well-formed HTTP request.'];
  }
}
