/** Limits of the HTTP servers, and an answer in JSON also for what is not HTTP. */
import type http from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError } from './errors.js';

/** Milliseconds for a request's headers: a slow sender must not hold a connection for nothing. */
const HEADERS_MS = 20_000;
/** Milliseconds for a whole request: 32 MB over a slow network. */
const REQUEST_MS = 300_000;
/** Milliseconds that an idle connection is kept: longer than clients keep theirs, so that they close first. */
const IDLE_MS = 75_000;
/** Milliseconds of silence after which a peer is asked whether it still exists. */
const PROBE_MS = 30_000;

/** Sets the limits. There is none on the time of an answer: a model may think for long. */
export function tuneServer(server: http.Server): http.Server {
  server.headersTimeout = HEADERS_MS;
  server.requestTimeout = REQUEST_MS;
  server.keepAliveTimeout = IDLE_MS;
  server.on('connection', (socket) => {
    socket.setKeepAlive(true, PROBE_MS);
    socket.setNoDelay(true);
  });
  server.on('clientError', answerClientError);
  return server;
}

function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, phrase, message] = clientErrorAnswer(error.code);
  const body = JSON.stringify(new ApiError(status, message).body());
  socket.end(
    `HTTP/1.1 ${status} ${phrase}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
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
