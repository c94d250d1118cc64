/** An engine process that works for other machines: told of its devices, then serves one peer, then killed. */
import net, { type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type {
  EngineToServer,
  OfferedDevice,
  RpcServerOptions,
} from '../../protocol/engine-channel.js';
import { exitReason } from '../engine/engine.js';
import type { EngineExit, SpawnEngine } from '../engine/spawn.js';
import type { RpcVersion } from './handshake.js';

/** Milliseconds between two looks whether it listens. */
const LOOK_MS = 10;

export interface Offer {
  devices: OfferedDevice[];
  version: RpcVersion;
}

/** It cannot work; the message is a sentence for people. */
export class ServingError extends Error {
  override readonly name = 'ServingError';
}

export class ServingProcess {
  /** What it has. Rejects with ServingError. */
  readonly offer: Promise<Offer>;
  /** Settles when the process is gone. */
  readonly gone: Promise<EngineExit>;

  readonly #process;
  #exit: EngineExit | null = null;
  #killed = false;
  #refusal: string | null = null;

  constructor(spawn: SpawnEngine, backends: string[]) {
    this.#process = spawn();
    this.gone = new Promise((resolve) => {
      this.#process.onExit((exit) => {
        this.#exit = exit;
        resolve(exit);
      });
    });
    this.offer = new Promise((resolve, reject) => {
      this.#process.onMessage((message: EngineToServer) => {
        if (message.type === 'rpc-devices') resolve(message);
        if (message.type === 'rpc-refused') {
          this.#refusal = message.message;
          this.#process.kill();
        }
      });
      void this.gone.then((exit) => reject(new ServingError(this.#reason(exit))));
    });
    this.offer.catch(() => {});
    this.#process.send({ type: 'rpc-devices', backends });
  }

  /** It ended because it was killed here, not by itself a moment before. */
  wasKilled({ signal }: EngineExit): boolean {
    return this.#killed && signal === 'SIGKILL';
  }

  /**
   * Begins to serve; resolves with a connection to it. Once only.
   * @throws ServingError
   */
  async serve(options: Omit<RpcServerOptions, 'endpoint'>): Promise<net.Socket> {
    const port = await freePort();
    this.#process.send({
      type: 'rpc-serve',
      options: { ...options, endpoint: `127.0.0.1:${port}` },
    });
    for (;;) {
      const socket = await connect(port);
      if (socket !== null && this.#exit === null) return socket;
      socket?.destroy();
      if (this.#exit !== null) throw new ServingError(this.#reason(this.#exit));
      await delay(LOOK_MS);
    }
  }

  kill(): void {
    if (this.#exit !== null) return;
    this.#killed = true;
    this.#process.kill();
  }

  #reason(exit: EngineExit): string {
    return this.#refusal ?? exitReason(exit);
  }
}

/** Of the loopback; ggml's server does not tell a port that the system chose for it. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: 0 }, () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

function connect(port: number): Promise<net.Socket | null> {
  return new Promise((resolve) => {
    const socket = net.connect({ host: '127.0.0.1', port, noDelay: true });
    socket.on('error', () => resolve(null));
    socket.once('connect', () => {
      // where nobody listens yet, the system may choose this port for our end too, and connect it to itself
      if (socket.localPort !== port) return resolve(socket);
      socket.destroy();
      resolve(null);
    });
  });
}
