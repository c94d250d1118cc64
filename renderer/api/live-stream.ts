import { t } from '../i18n/i18n.js';
import { ApiError } from './error.js';
import { request } from './http.js';
import { retryDelay } from './retry-delay.js';
import { readSse } from './sse.js';

export type Connection =
  | { state: 'connecting' }
  | { state: 'online' }
  /** The next try comes by itself. */
  | { state: 'offline'; message: string }
  /** The server wants a key. */
  | { state: 'locked' };

/** The server comments at least every 10 s; three missed ones mean that the connection is dead. */
const SILENCE_MS_MAX = 35_000;
/** A page that nobody has looked at for this long lets go of its stream until it is looked at again. */
const HIDDEN_MS_MAX = 60_000;
/**
 * Pages that nobody looks at let go at once where another one comes to the front: a browser has six connections to a
 * server for all its tabs together, and that one needs some.
 */
const FRONT_CHANNEL = 'pilotlight-front';

interface LiveStreamParts {
  /** Path of the stream; null while there is nothing to listen to. Asked before each try. */
  path(): string | null;
  /** Takes the data of one message. @throws ApiError when it cannot be read. */
  receive(data: string): void;
  connection(connection: Connection): void;
}

/** A stream of server-sent events, reconnecting until it is stopped. Only for streams that begin with all there is. */
export class LiveStream {
  readonly #parts: LiveStreamParts;
  #stopped: AbortController | null = null;
  #wake: (() => void) | null = null;
  #attempt: AbortController | null = null;
  /** Somebody asked to start over: no pause before the next try. */
  #hasty = false;
  #wasOnline = false;

  constructor(parts: LiveStreamParts) {
    this.#parts = parts;
  }

  start(): void {
    if (this.#stopped) return;
    const stopped = new AbortController();
    this.#stopped = stopped;
    const options = { signal: stopped.signal };
    window.addEventListener('online', () => this.retry(), options);
    let leaving: ReturnType<typeof setTimeout> | undefined;
    const leave = () => this.#attempt?.abort();
    const front = new BroadcastChannel(FRONT_CHANNEL);
    front.addEventListener('message', () => document.hidden && leave(), options);
    const onVisibility = () => {
      clearTimeout(leaving);
      if (document.hidden) {
        leaving = setTimeout(leave, HIDDEN_MS_MAX);
      } else {
        front.postMessage(null);
        this.retry();
      }
    };
    document.addEventListener('visibilitychange', onVisibility, options);
    stopped.signal.addEventListener('abort', () => {
      clearTimeout(leaving);
      front.close();
    });
    if (!document.hidden) front.postMessage(null);
    void this.#run(stopped.signal);
  }

  stop(): void {
    this.#stopped?.abort();
    this.#stopped = null;
  }

  /** Tries again at once where it waits for the next try or for a key. */
  retry(): void {
    this.#wake?.();
  }

  /** Starts over: with another path or key. */
  reconnect(): void {
    this.#hasty = true;
    this.#attempt?.abort();
    this.retry();
  }

  async #run(stopped: AbortSignal): Promise<void> {
    let failures = 0;
    while (!stopped.aborted) {
      let connection: Connection = { state: 'connecting' };
      this.#hasty = false;
      try {
        await this.#listen(stopped, () => {
          failures = 0;
        });
      } catch (cause) {
        connection = connectionAfter(cause);
      }
      if (stopped.aborted) return;
      if (this.#hasty) {
        failures = 0;
        continue;
      }
      // A connection that was good is most often back at the first try: no alarm before that one.
      if (failures === 0 && connection.state === 'offline' && this.#wasOnline) {
        connection = { state: 'connecting' };
      }
      failures += 1;
      this.#parts.connection(connection);
      const waits = connection.state === 'locked' || this.#parts.path() === null || document.hidden;
      await this.#pause(waits ? null : retryDelay(failures, Math.random()), stopped);
    }
  }

  async #listen(stopped: AbortSignal, onMessage: () => void): Promise<void> {
    const path = this.#parts.path();
    if (path === null) return;
    const attempt = new AbortController();
    this.#attempt = attempt;
    let silence: ReturnType<typeof setTimeout> | undefined;
    const alive = () => {
      clearTimeout(silence);
      silence = setTimeout(() => attempt.abort(), SILENCE_MS_MAX);
    };
    alive();
    try {
      const signal = AbortSignal.any([stopped, attempt.signal]);
      const headers = { accept: 'text/event-stream' };
      const response = await request(path, { headers, signal });
      if (!response.body) return;
      for await (const items of readSse(response.body)) {
        alive();
        for (const item of items) {
          if (item.type !== 'message') continue;
          this.#parts.receive(item.data);
          this.#wasOnline = true;
          this.#parts.connection({ state: 'online' });
          onMessage();
        }
      }
    } finally {
      clearTimeout(silence);
      this.#attempt = null;
    }
  }

  /** Waits `ms` (null: without end), or until retry or stop. */
  #pause(ms: number | null, stopped: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        stopped.removeEventListener('abort', done);
        this.#wake = null;
        resolve();
      };
      const timer = ms === null ? undefined : setTimeout(done, ms);
      this.#wake = done;
      stopped.addEventListener('abort', done);
    });
  }
}

function connectionAfter(cause: unknown): Connection {
  if (cause instanceof ApiError && cause.status === 401) return { state: 'locked' };
  const message = cause instanceof ApiError ? cause.message : t('errors.no_answer');
  return { state: 'offline', message };
}
