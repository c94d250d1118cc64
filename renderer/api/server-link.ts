import { type ServerState, serverStateSchema } from '../../protocol/models.js';
import { ApiError } from './error.js';
import { request, sendJson } from './http.js';
import { retryDelay } from './retry-delay.js';
import { share } from './share.js';
import { readSse } from './sse.js';

export type Connection =
  | { state: 'connecting' }
  | { state: 'online' }
  /** The next try comes by itself. */
  | { state: 'offline'; message: string }
  /** The server wants a key. */
  | { state: 'locked' };

export interface LinkSnapshot {
  connection: Connection;
  /** The last state the server sent; kept while it is offline. */
  server: ServerState | null;
}

/** The server comments at least every 10 s; three missed ones mean that the connection is dead. */
const SILENCE_MS_MAX = 35_000;

/** The live connection to /pilotlight/events: one for the window, reconnecting until it is stopped. */
export class ServerLink {
  #snapshot: LinkSnapshot = { connection: { state: 'connecting' }, server: null };
  #listeners = new Set<() => void>();
  #stopped: AbortController | null = null;
  #wake: (() => void) | null = null;
  #attempt: AbortController | null = null;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): LinkSnapshot => this.#snapshot;

  start(): void {
    if (this.#stopped) return;
    const stopped = new AbortController();
    this.#stopped = stopped;
    void this.#run(stopped.signal);
    const options = { signal: stopped.signal };
    window.addEventListener('online', () => this.retry(), options);
    document.addEventListener('visibilitychange', () => !document.hidden && this.retry(), options);
  }

  stop(): void {
    this.#stopped?.abort();
    this.#stopped = null;
  }

  /** Tries again at once where it waits for the next try or for a key. */
  retry(): void {
    this.#wake?.();
  }

  /** Starts over: with another key, or because a request was refused for want of one. */
  reconnect(): void {
    this.#update({ connection: { state: 'connecting' } });
    this.#attempt?.abort();
    this.retry();
  }

  /**
   * Makes `model` the current one; the server then loads it.
   * @throws ApiError with a sentence for people.
   */
  async selectModel(model: string): Promise<void> {
    const response = await sendJson('PUT', '/pilotlight/current-model', { model });
    const server = serverStateSchema.safeParse(await response.json().catch(() => null));
    if (server.success) this.#update({ server: this.#shared(server.data) });
  }

  async #run(stopped: AbortSignal): Promise<void> {
    let failures = 0;
    while (!stopped.aborted) {
      let connection: Connection;
      try {
        await this.#listen(stopped, () => {
          failures = 0;
        });
        connection = { state: 'connecting' };
      } catch (cause) {
        connection = connectionAfter(cause);
      }
      if (stopped.aborted) return;
      // A connection that was good is most often back at the first try: no alarm before that one.
      if (failures === 0 && connection.state === 'offline' && this.#snapshot.server) {
        connection = { state: 'connecting' };
      }
      failures += 1;
      this.#update({ connection });
      const wait = connection.state === 'locked' ? null : retryDelay(failures, Math.random());
      await this.#pause(wait, stopped);
    }
  }

  async #listen(stopped: AbortSignal, onState: () => void): Promise<void> {
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
      const response = await request('/pilotlight/events', { headers, signal });
      if (!response.body) return;
      for await (const items of readSse(response.body)) {
        alive();
        for (const item of items) {
          if (item.type !== 'message') continue;
          const server = this.#shared(readState(item.data));
          this.#update({ connection: { state: 'online' }, server });
          onState();
        }
      }
    } finally {
      clearTimeout(silence);
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

  /** Of hundreds of models most are as they were: those are not drawn again. */
  #shared(server: ServerState): ServerState {
    return share(this.#snapshot.server, server);
  }

  #update(change: Partial<LinkSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change };
    for (const listener of this.#listeners) listener();
  }
}

function connectionAfter(cause: unknown): Connection {
  if (cause instanceof ApiError && cause.status === 401) return { state: 'locked' };
  const message = cause instanceof ApiError ? cause.message : 'The server is not answering.';
  return { state: 'offline', message };
}

function readState(data: string): ServerState {
  let json: unknown = null;
  try {
    json = JSON.parse(data);
  } catch {
    // Refused below like any other data that is no state.
  }
  const state = serverStateSchema.safeParse(json);
  if (state.success) return state.data;
  throw new ApiError('broken', 'The server speaks another version. Reload this window.');
}
