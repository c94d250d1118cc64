/** The server that is tested, as an ordinary client meets it: one request at a time, and its answer as it came. */
import http from 'node:http';
import https from 'node:https';
import type { z } from 'zod';
import type { Api } from '../api.js';
import { jsonOf, misfit } from '../event-data.js';
import { printable } from '../printable.js';

/** What was tried does not hold; the message says what came instead. */
export class Fault extends Error {
  override readonly name = 'Fault';
}

/** What cannot be tried here; the message says why. */
export class Skip extends Error {
  override readonly name = 'Skip';
}

/** Bytes of an answer that are read: more than any list of models. */
const BODY_LIMIT = 16 * 1024 * 1024;

export interface Asked {
  method?: string;
  /** JSON; a string is sent as it is. */
  body?: unknown;
  headers?: Record<string, string>;
  /** False: the key stays out. */
  withKey?: boolean;
  agent?: http.Agent;
}

export interface Answered {
  status: number;
  headers: http.IncomingHttpHeaders;
  text: string;
  /** It came over a connection that had had an answer before. */
  isReused: boolean;
}

export class LiveServer {
  constructor(
    readonly api: Api,
    /** Ends what is asked. */
    readonly until: AbortSignal,
  ) {}

  /** Of a route beside those of the API, such as "/health". */
  outside(path: string): string {
    return `${this.api.base.replace(/\/v1$/, '')}${path}`;
  }

  /** @throws Fault where there is no answer. */
  ask(path: string, asked: Asked = {}): Promise<Answered> {
    return new Promise((resolve, reject) => {
      const request = this.send(path, asked);
      const fail = (error: Error) => reject(this.fault(error));
      request.on('error', fail);
      request.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('error', fail);
        response.on('data', (part: string) => {
          if (text.length < BODY_LIMIT) text += part;
        });
        response.on('end', () =>
          resolve({
            ...{ status: response.statusCode ?? 0, headers: response.headers, text },
            isReused: request.reusedSocket,
          }),
        );
      });
    });
  }

  /** Asks, and leaves with the first event of the answer. Resolves with the headers. */
  leaveEarly(path: string, body: object): Promise<Answered> {
    return new Promise((resolve, reject) => {
      const request = this.send(path, { body });
      const fail = (error: Error) => reject(this.fault(error));
      request.on('error', fail);
      request.on('response', (response) => {
        let text = '';
        const done = () => {
          request.off('error', fail);
          request.on('error', () => {});
          request.destroy();
          const { statusCode: status = 0, headers } = response;
          resolve({ status, headers, text, isReused: false });
        };
        response.setEncoding('utf8');
        response.on('error', () => {});
        response.on('end', done);
        response.on('data', (part: string) => {
          text += part;
          if (/^data: /m.test(text)) done();
        });
      });
    });
  }

  private send(path: string, asked: Asked): http.ClientRequest {
    const { host, port, isTls, search, key } = this.api;
    const { method = asked.body === undefined ? 'GET' : 'POST', body, withKey = true } = asked;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const request = (isTls ? https : http).request({
      ...{ host, port, method, path: `${path}${search}`, signal: this.until },
      agent: asked.agent ?? false,
      headers: {
        'user-agent': 'pilotlight-self-test',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === null || !withKey ? {} : { authorization: `Bearer ${key}` }),
        ...asked.headers,
      },
    });
    request.end(text);
    return request;
  }

  private fault(error: Error): Fault {
    if (this.until.aborted) return new Fault('no answer came in time');
    return new Fault(`there is no answer: ${printable(error.message)}`);
  }
}

/** @throws Fault that says what came instead. */
export function expectStatus({ status, text }: Answered, wanted: number): void {
  if (status === wanted) return;
  throw new Fault(`the status is ${status} in place of ${wanted}: ${printable(text)}`);
}

/**
 * The body of a success.
 * @throws Fault
 */
export function readAs<T>(answered: Answered, schema: z.ZodType<T>): T {
  expectStatus(answered, 200);
  const value = jsonOf(answered.text);
  if (value === undefined) throw new Fault(`it is no JSON: ${printable(answered.text)}`);
  const read = schema.safeParse(value);
  if (!read.success) throw new Fault(misfit(read.error));
  return read.data;
}

export function expect(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Fault(otherwise);
}
