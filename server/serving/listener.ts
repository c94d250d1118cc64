/**
 * The server's open sockets, and their move to another address while it runs. Answers that are under way end where they
 * began; an address that cannot be had changes nothing.
 */
import type http from 'node:http';
import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isLoopback, urlHost } from '../http/guard.js';
import { type Listening, listen, listenExactly } from '../port.js';

/** How often connections of an address that was left are looked at, in milliseconds: they go as they become idle. */
const IDLE_CHECK_MS = 50;

export class Listener {
  /** Of an address that was left, until their last answer has ended. */
  readonly #leaving = new Set<http.Server>();
  readonly #sockets = new Set<Socket>();
  /** Answers that have not ended, by the one that gives them. */
  readonly #answers = new Map<ServerResponse, http.Server>();
  #moving: Promise<void> = Promise.resolve();

  private constructor(
    private readonly app: RequestListener,
    private current: Listening & { host: string },
  ) {
    this.#follow(current.servers);
  }

  /** @throws ListenError */
  static async open(host: string, port: number, app: RequestListener): Promise<Listener> {
    return new Listener(app, { host, ...(await listen(host, port, app)) });
  }

  get host(): string {
    return this.current.host;
  }

  get port(): number {
    return this.current.port;
  }

  /** A sentence for people where the port is not the wanted one, else null. */
  get notice(): string | null {
    return this.current.notice;
  }

  /** All that have connections. */
  get servers(): readonly http.Server[] {
    return [...this.current.servers, ...this.#leaving];
  }

  /**
   * Resolves when it is served there. Connections of other machines are cut where the new address is for this one only.
   * @throws ListenError with a sentence that says who has the port; then all is as it was.
   */
  move(host: string, port: number): Promise<void> {
    const moved = this.#moving.then(() => this.#move(host, port));
    this.#moving = moved.catch(() => {});
    return moved;
  }

  async #move(host: string, port: number): Promise<void> {
    const before = this.current;
    if (host === before.host && port === before.port) return;
    if (port === before.port) {
      // One port cannot be listened at twice, so that for a moment nobody does.
      this.#leave(before.servers);
      try {
        this.#take(host, await listenExactly(host, port, this.app));
      } catch (error) {
        this.#take(before.host, await listen(before.host, before.port, this.app));
        throw error;
      }
    } else {
      this.#take(host, await listenExactly(host, port, this.app));
      this.#leave(before.servers);
    }
    if (isLoopback(host)) this.#cutOff();
  }

  #take(host: string, listening: Listening): void {
    this.current = { host, ...listening };
    this.#follow(listening.servers);
  }

  #follow(servers: readonly http.Server[]): void {
    for (const server of servers) {
      server.on('connection', (socket: Socket) => {
        this.#sockets.add(socket);
        socket.once('close', () => this.#sockets.delete(socket));
      });
      server.prependListener('request', (_req, res) => {
        this.#answers.set(res, server);
        res.once('close', () => this.#answers.delete(res));
        if (this.#leaving.has(server)) isLast(res);
      });
    }
  }

  #leave(servers: readonly http.Server[]): void {
    for (const [answer, server] of this.#answers) {
      if (servers.includes(server)) isLast(answer);
    }
    for (const server of servers) {
      this.#leaving.add(server);
      const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS).unref();
      server.close(() => {
        clearInterval(idle);
        this.#leaving.delete(server);
      });
    }
  }

  #cutOff(): void {
    for (const socket of this.#sockets) {
      if (!isLoopback(urlHost(socket.remoteAddress ?? ''))) socket.destroy();
    }
  }
}

/** Tells the client not to ask over this connection again: it would be closed while it does. */
function isLast(answer: ServerResponse): void {
  if (!answer.headersSent) answer.setHeader('connection', 'close');
}
