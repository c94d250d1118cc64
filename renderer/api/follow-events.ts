/** Streams of the server's own events. */
import type { z } from 'zod';
import { ApiError } from './error.js';
import { request } from './http.js';
import { retryDelay } from './retry-delay.js';
import { readSse } from './sse.js';

/** The events of one answer, until it ends. */
export async function* eventsOf<S extends z.ZodType>(
  schema: S,
  response: Response,
): AsyncGenerator<z.output<S>> {
  if (!response.body) return;
  for await (const items of readSse(response.body)) {
    for (const item of items) {
      if (item.type !== 'message') continue;
      const event = schema.safeParse(jsonOf(item.data));
      if (!event.success) {
        throw new ApiError('broken', 'The server speaks another version. Reload this window.');
      }
      yield event.data;
    }
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

interface Followed<T> {
  /** A connection stands; all begins anew with the next event. */
  onOpen: () => void;
  onEvent: (event: T) => void;
  /** It is tried again by itself, unless the server refuses. */
  onTrouble: (error: ApiError) => void;
}

/** Follows a stream without an end until `signal` aborts; connects again when it breaks. */
export async function followEvents<S extends z.ZodType>(
  path: string,
  schema: S,
  signal: AbortSignal,
  { onOpen, onEvent, onTrouble }: Followed<z.output<S>>,
): Promise<void> {
  for (let failures = 1; !signal.aborted; failures += 1) {
    try {
      const response = await request(path, { headers: { accept: 'text/event-stream' }, signal });
      onOpen();
      for await (const event of eventsOf(schema, response)) {
        failures = 0;
        onEvent(event);
      }
    } catch (cause) {
      if (signal.aborted) return;
      const error = cause instanceof ApiError ? cause : lost();
      onTrouble(error);
      if (error.status === 401 || error.status === 403) return;
    }
    await pause(retryDelay(Math.max(1, failures), Math.random()), signal);
  }
}

const lost = () => new ApiError('unreachable', 'The server is not answering.');

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}
