import { type ServerState, serverStateSchema } from '../../protocol/models.js';
import { sendJson } from './http.js';
import { parseJson } from './json.js';
import { type Connection, LiveStream } from './live-stream.js';
import { share } from './share.js';

export interface LinkSnapshot {
  connection: Connection;
  /** The last state the server sent; kept while it is offline. */
  server: ServerState | null;
}

/** The live connection to /pilotlight/events: one for the window, reconnecting until it is stopped. */
export class ServerLink {
  #snapshot: LinkSnapshot = { connection: { state: 'connecting' }, server: null };
  #listeners = new Set<() => void>();
  readonly #stream = new LiveStream({
    path: () => '/pilotlight/events',
    receive: (data) => {
      this.#update({ server: this.#shared(parseJson(serverStateSchema, data)) });
    },
    connection: (connection) => this.#update({ connection }),
  });

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): LinkSnapshot => this.#snapshot;

  start(): void {
    this.#stream.start();
  }

  stop(): void {
    this.#stream.stop();
  }

  /** Tries again at once where it waits for the next try or for a key. */
  retry(): void {
    this.#stream.retry();
  }

  /** Starts over: with another key, or because a request was refused for want of one. */
  reconnect(): void {
    this.#update({ connection: { state: 'connecting' } });
    this.#stream.reconnect();
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

  /** Of hundreds of models most are as they were: those are not drawn again. */
  #shared(server: ServerState): ServerState {
    return share(this.#snapshot.server, server);
  }

  #update(change: Partial<LinkSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change };
    for (const listener of this.#listeners) listener();
  }
}
