/**
 * One HTTP request to an upstream. Straight to it: through no proxy, along no redirect, so that its key is read by nobody
 * else.
 */
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';

/** Milliseconds for a connection to be made. A machine that is off would hold each request for minutes otherwise. */
const CONNECT_MS = 5_000;

/** All header lines of an answer, in bytes. */
const HEADERS_MAX = 32 * 1024;

const OPTIONS = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY };

export interface Ask {
  method: 'GET' | 'POST';
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: Buffer;
  /** Its abort ends the request at once, and the answer too. */
  signal: AbortSignal;
}

/** Why there was no answer. The message is a sentence for people, and holds no secret. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** Keeps connections for the next request. */
export class Connections {
  readonly #http = new http.Agent(OPTIONS);
  readonly #https = new https.Agent(OPTIONS);

  /**
   * Resolves when the headers of the answer are there.
   * @throws ConnectionError
   */
  async ask(ask: Ask): Promise<IncomingMessage> {
    const isKept = { value: false };
    try {
      return await this.#send(ask, this.#agentOf(ask.url), isKept);
    } catch (error) {
      // A connection that was kept may have been closed at the other end just before; the request has not been read.
      if (!isKept.value || !wasReset(error) || ask.signal.aborted) throw toConnectionError(error);
    }
    try {
      return await this.#send(ask, false, isKept);
    } catch (error) {
      throw toConnectionError(error);
    }
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }

  #agentOf(url: string): http.Agent {
    return url.startsWith('https:') ? this.#https : this.#http;
  }

  #send(
    { method, url, headers, body, signal }: Ask,
    agent: http.Agent | false,
    isKept: { value: boolean },
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const { request } = url.startsWith('https:') ? https : http;
      const length = body === undefined ? {} : { 'content-length': body.length };
      const sent = request(url, {
        ...{ method, agent, signal, maxHeaderSize: HEADERS_MAX },
        headers: { ...headers, ...length },
      });
      sent.once('socket', (socket) => {
        isKept.value = sent.reusedSocket;
        if (!socket.connecting) return;
        const timer = setTimeout(
          () => sent.destroy(new ConnectionError('It could not be reached in time.')),
          CONNECT_MS,
        );
        const stop = () => clearTimeout(timer);
        socket.once('connect', stop);
        socket.once('close', stop);
      });
      sent.once('response', (answer) => {
        // Whoever reads it is told; where nobody does any more, it is no news.
        answer.on('error', () => {});
        resolve(answer);
      });
      // Also after the answer has begun, when it is the answer's business.
      sent.on('error', reject);
      sent.end(body);
    });
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function wasReset(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE'].includes(codeOf(error));
}

function toConnectionError(error: unknown): ConnectionError {
  return error instanceof ConnectionError ? error : new ConnectionError(sentence(codeOf(error)));
}

function sentence(code: string): string {
  switch (code) {
    case 'ECONNREFUSED':
      return 'Nothing answers at its address.';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'Its name is not known to the network.';
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ETIMEDOUT':
      return 'It could not be reached.';
    case 'ECONNRESET':
    case 'EPIPE':
      return 'It closed the connection without an answer.';
    case 'HPE_HEADER_OVERFLOW':
      return 'The headers of its answer are too large.';
    case 'ABORT_ERR':
      return 'It did not answer in time.';
    default:
      if (code.startsWith('HPE_')) return 'It does not speak HTTP.';
      if (/^(CERT_|DEPTH_|SELF_|UNABLE_|ERR_TLS_|ERR_SSL_|EPROTO)/.test(code)) {
        return `No safe connection to it can be made (${code}).`;
      }
      return code === '' ? 'It could not be asked.' : `It could not be asked (${code}).`;
  }
}
