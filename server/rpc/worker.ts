/**
 * An RPC worker: devices of this machine that hold layers of models which run on other ones. It listens by itself, and
 * gives each peer an engine process of its own, because ggml's server serves one peer, trusts what it is sent and ends
 * its process where that is wrong.
 */
import dns from 'node:dns/promises';
import net, { type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { OfferedDevice } from '../../protocol/engine-channel.js';
import { CrashBackoff } from '../engine/backoff.js';
import { exitReason } from '../engine/engine.js';
import { memoryForModel } from '../engine/memory.js';
import type { SpawnEngine } from '../engine/spawn.js';
import { urlHost } from '../http/guard.js';
import { describeHolder, findPortHolder } from '../port-holder.js';
import type { RpcVersion } from './handshake.js';
import { greet, join, PeerError } from './peer.js';
import { isPrivateAddress, PRIVATE_NETWORKS, publicAddresses } from './private-address.js';
import { ServingError, ServingProcess } from './serving-process.js';

/** Connections at the same time: an engine has two, and one of them takes a process. */
const PEERS_MAX = 256;
const PROCESSES_MAX = 16;

const EVERYWHERE = ['0.0.0.0', '::'];

export interface RpcWorkerOptions {
  spawn: SpawnEngine;
  /** Files of the backend modules. */
  backends: string[];
  /** Name or address to listen at. */
  host: string;
  /** 0: any free one. */
  port: number;
  /** Names of devices, in any case; null: the graphics cards, or the processor where there is none. */
  devices: string[] | null;
  /** Bytes that a peer may plan with on each device; null: what is free. */
  memoryBytes: number | null;
  /** Of a processor; 0: automatic. */
  threads: number;
  /** Folder that keeps received weights; null: none. */
  cacheDir: string | null;
  /** Something happened: a sentence for people. */
  tell: (sentence: string) => void;
}

/** It cannot start; the message is a sentence for people. */
export class RpcWorkerError extends Error {
  override readonly name = 'RpcWorkerError';
}

export interface RpcWorkerDevice extends OfferedDevice {
  /** Told to peers now. */
  offeredBytes: number;
}

export class RpcWorker {
  readonly #options: RpcWorkerOptions;
  readonly #backoff = new CrashBackoff();
  readonly #serving = new Set<ServingProcess>();
  readonly #peers = new Set<net.Socket>();
  #server: net.Server | null = null;
  #endpoint = '';
  /** Up already: the next peer does not wait for its start. */
  #spare: Promise<ServingProcess>;
  #version: RpcVersion = [0, 0, 0];
  #devices: OfferedDevice[] = [];
  #closed = false;

  private constructor(options: RpcWorkerOptions) {
    this.#options = options;
    this.#spare = this.#prepare();
  }

  /** @throws RpcWorkerError */
  static async start(options: RpcWorkerOptions): Promise<RpcWorker> {
    const address = await addressOf(options.host);
    const worker = new RpcWorker(options);
    try {
      const { devices, version } = await (await worker.#spare).offer;
      worker.#version = version;
      worker.#devices = choose(devices, options.devices);
      worker.#server = await listen(address, options.port, (peer) => void worker.#serve(peer));
      const bound = worker.#server.address() as AddressInfo;
      worker.#endpoint = `${urlHost(bound.address)}:${bound.port}`;
    } catch (error) {
      await worker.close();
      throw error instanceof ServingError ? new RpcWorkerError(error.message) : error;
    }
    return worker;
  }

  /** "address:port" */
  get endpoint(): string {
    return this.#endpoint;
  }

  /** Of the protocol. */
  get version(): string {
    return this.#version.join('.');
  }

  get devices(): RpcWorkerDevice[] {
    return this.#devices.map((device) => ({ ...device, offeredBytes: this.#bytesOf(device) }));
  }

  /** Ends every connection and process. */
  async close(): Promise<void> {
    this.#closed = true;
    const server = this.#server;
    const closed = server && new Promise((resolve) => server.close(resolve));
    for (const peer of this.#peers) peer.destroy();
    for (const serving of this.#serving) serving.kill();
    await Promise.all([closed, ...[...this.#serving].map(({ gone }) => gone)]);
  }

  /** At once, unless processes have crashed in a row. */
  async #prepare(): Promise<ServingProcess> {
    const wait = this.#backoff.delay(performance.now());
    if (wait > 0) await delay(wait, undefined, { ref: false });
    const serving = new ServingProcess(this.#options.spawn, this.#options.backends);
    this.#serving.add(serving);
    void serving.gone.then(() => this.#serving.delete(serving));
    if (this.#closed) serving.kill();
    return serving;
  }

  /** Never rejects. */
  async #serve(peer: net.Socket): Promise<void> {
    peer.on('error', () => {});
    const address = peer.remoteAddress ?? '';
    const name = `${urlHost(address)}:${peer.remotePort}`;
    const isOneTooMany = this.#peers.size >= PEERS_MAX;
    this.#peers.add(peer);
    try {
      if (!isPrivateAddress(address)) throw new PeerError('its address is not a private one');
      if (isOneTooMany) throw new PeerError('too many others are connected');
      if (await greet(peer, this.#version)) await this.#work(peer, name);
    } catch (error) {
      if (!this.#closed) this.#options.tell(`Turned ${name} away: ${wordsOf(error)}`);
    } finally {
      this.#peers.delete(peer);
      peer.destroy();
    }
  }

  async #work(peer: net.Socket, name: string): Promise<void> {
    // the spare one is no peer's yet
    if (this.#serving.size > PROCESSES_MAX) {
      throw new PeerError(`${PROCESSES_MAX} others compute here`);
    }
    const spare = this.#spare;
    this.#spare = this.#prepare();
    const serving = await spare;
    try {
      await serving.offer;
      const connection = await serving.serve({
        devices: this.#devices.map((device) => device.name),
        freeBytes: this.#devices.map((device) => this.#bytesOf(device)),
        threads: this.#options.threads,
        cacheDir: this.#options.cacheDir ?? '',
      });
      this.#options.tell(`${name} computes here.`);
      await join(peer, connection);
    } finally {
      serving.kill();
    }
    const exit = await serving.gone;
    if (this.#closed) return;
    if (serving.wasKilled(exit)) this.#backoff.succeeded();
    else this.#backoff.crashed(performance.now());
    const end = serving.wasKilled(exit) ? 'has left.' : `was cut off. ${exitReason(exit)}`;
    this.#options.tell(`${name} ${end}`);
  }

  #bytesOf({ isGpu, freeBytes }: OfferedDevice): number {
    const free = isGpu ? freeBytes : Math.min(freeBytes, memoryForModel(0));
    return Math.min(free, this.#options.memoryBytes ?? free);
  }
}

function wordsOf(error: unknown): string {
  if (error instanceof PeerError) return `${error.message}.`;
  return (error as Error).message;
}

/** @throws RpcWorkerError where it is not a private address. */
async function addressOf(host: string): Promise<string> {
  if (EVERYWHERE.includes(host)) {
    const [open] = publicAddresses();
    if (open === undefined) return host;
    throw new RpcWorkerError(
      `Listening at ${host} would open the worker at ${open}, which is not a private address. Give a private address of this machine with --host.`,
    );
  }
  const found = await dns.lookup(host, { all: true }).catch(() => {
    throw new RpcWorkerError(`This machine has no address ${host} to listen at.`);
  });
  const open = found.find(({ address }) => !isPrivateAddress(address));
  if (open !== undefined) {
    throw new RpcWorkerError(
      `${open.address} is refused: it is not a private address (${PRIVATE_NETWORKS}). RPC has no authentication and no encryption.`,
    );
  }
  // engines connect by IPv4
  const [first] = [...found].sort((a, b) => a.family - b.family);
  return first?.address ?? host;
}

/** @throws RpcWorkerError */
function listen(
  host: string,
  port: number,
  onPeer: (peer: net.Socket) => void,
): Promise<net.Server> {
  return new Promise((resolve, reject) => {
    const server = net.createServer(onPeer);
    server.once('error', (error: NodeJS.ErrnoException) => {
      void listenError(error, host, port).then(reject);
    });
    server.listen({ host, port }, () => resolve(server));
  });
}

async function listenError(
  error: NodeJS.ErrnoException,
  host: string,
  port: number,
): Promise<RpcWorkerError> {
  switch (error.code) {
    case 'EADDRINUSE': {
      const holder = describeHolder(await findPortHolder(port));
      return new RpcWorkerError(
        `Port ${port} is used by ${holder}: choose another one with --port.`,
      );
    }
    case 'EADDRNOTAVAIL':
    case 'EAFNOSUPPORT':
      return new RpcWorkerError(`This machine has no address ${host} to listen at.`);
    default:
      return new RpcWorkerError(`Port ${port} cannot be opened: ${error.message}.`);
  }
}

/** @throws RpcWorkerError where a name means no device. */
function choose(devices: readonly OfferedDevice[], names: string[] | null): OfferedDevice[] {
  if (names === null) {
    const gpus = devices.filter(({ isGpu }) => isGpu);
    return gpus.length > 0 ? gpus : [...devices];
  }
  return [...new Set(names)].map((name) => {
    const found = devices.find((device) => device.name.toLowerCase() === name.toLowerCase());
    if (found) return found;
    const known = devices.map((device) => `${device.name} (${device.description})`).join(', ');
    throw new RpcWorkerError(`There is no device "${name}". There are: ${known}.`);
  });
}
