/**
 * The first words of ggml's RPC protocol. The engine's own code ends the process where a worker is not there, and waits
 * without end where it is silent; so workers are asked before.
 *
 *   HELLO      command (1 byte: 14) | size (8 bytes: 24) | capabilities (24 bytes)
 *   its answer size (8 bytes: 28) | major, minor, patch, 0 (4 bytes) | capabilities (24 bytes)
 */
import net from 'node:net';
import type { RpcPeer } from '../../protocol/engine-channel.js';
import { RpcHostError } from './hosts.js';

/** Major, minor, patch. */
export type RpcVersion = [number, number, number];

const HELLO = 14;
const CAPABILITIES = 24;

/** Bytes of the request and of its answer. */
export const HELLO_BYTES = 1 + 8 + CAPABILITIES;
export const HELLO_ANSWER_BYTES = 8 + 4 + CAPABILITIES;

/** Without capabilities: over TCP. */
export function helloRequest(): Buffer {
  const request = Buffer.alloc(HELLO_BYTES);
  request.writeUInt8(HELLO, 0);
  request.writeBigUInt64LE(BigInt(CAPABILITIES), 1);
  return request;
}

/** Whether these bytes begin a connection of RPC; `bytes` may hold more, or fewer. */
export function beginsHello(bytes: Buffer): boolean {
  const expected = helloRequest().subarray(0, 9);
  const n = Math.min(expected.length, bytes.length);
  return bytes.subarray(0, n).equals(expected.subarray(0, n));
}

export function helloAnswer(version: RpcVersion): Buffer {
  const answer = Buffer.alloc(HELLO_ANSWER_BYTES);
  answer.writeBigUInt64LE(BigInt(4 + CAPABILITIES), 0);
  for (const [i, number] of version.entries()) answer.writeUInt8(number, 8 + i);
  return answer;
}

/** Null where it is no answer to HELLO. */
function versionOf(answer: Buffer): RpcVersion | null {
  if (answer.length < HELLO_ANSWER_BYTES) return null;
  if (answer.readBigUInt64LE(0) !== BigInt(4 + CAPABILITIES)) return null;
  return [answer.readUInt8(8), answer.readUInt8(9), answer.readUInt8(10)];
}

/** ggml's rule: the same major version, and no younger minor one than the engine's. */
function isCompatible(worker: RpcVersion, own: RpcVersion): boolean {
  return worker[0] === own[0] && worker[1] <= own[1];
}

export interface HandshakeOptions {
  /** Of the engine. */
  version: RpcVersion;
  /** Milliseconds to connect, and again to be answered. */
  patience: number;
  signal: AbortSignal;
}

/**
 * Connects to a worker, asks for its version and leaves.
 * @throws RpcHostError; AbortError
 */
export async function shakeHands(peer: RpcPeer, options: HandshakeOptions): Promise<void> {
  const { version, patience, signal } = options;
  const answer = await hello(peer, patience, signal);
  const found = versionOf(answer);
  if (found === null) {
    throw new RpcHostError(
      `${peer.host} is no RPC worker that this version can talk to: it does not answer as one. Run "pilotlight rpc-worker" of the same version there.`,
    );
  }
  if (!isCompatible(found, version)) {
    throw new RpcHostError(
      `The RPC worker ${peer.host} speaks version ${found.join('.')} of the protocol, this engine ${version.join('.')}. Run the same version of Pilotlight on both.`,
    );
  }
}

/** Whether it accepts a connection now. */
export function isReached({ endpoint }: RpcPeer, patience: number): Promise<boolean> {
  const [host = '', port = ''] = endpoint.split(':');
  return new Promise((resolve) => {
    const socket = net.connect({ host, port: Number(port), timeout: patience });
    const end = (reached: boolean) => {
      socket.destroy();
      resolve(reached);
    };
    socket.on('connect', () => end(true));
    // after what has come meanwhile: this process may have been held up itself
    socket.on('timeout', () => setImmediate(end, false));
    socket.on('error', () => end(false));
  });
}

/** What came until the answer was whole or the worker hung up. */
function hello(peer: RpcPeer, patience: number, signal: AbortSignal): Promise<Buffer> {
  const [host = '', port = ''] = peer.endpoint.split(':');
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const socket = net.connect({ host, port: Number(port) });
    let got = Buffer.alloc(0);
    let connected = false;
    const end = (settle: () => void) => {
      isOpen = false;
      signal.removeEventListener('abort', abort);
      clearTimeout(timer);
      socket.destroy();
      settle();
    };
    const fail = (words: string) =>
      end(() => reject(new RpcHostError(`The RPC worker ${peer.host} ${words}.`)));
    const late = () =>
      fail(
        connected
          ? `did not answer within ${patience / 1000} seconds; it may be busy with another engine`
          : `was not reached within ${patience / 1000} seconds`,
      );
    const abort = () => end(() => reject(signal.reason));
    // after what has come meanwhile: this process may have been held up itself
    const wait = (stage: boolean) =>
      setTimeout(() => setImmediate(() => isOpen && connected === stage && late()), patience);
    let isOpen = true;
    let timer = wait(false);
    signal.addEventListener('abort', abort, { once: true });
    socket.on('connect', () => {
      connected = true;
      clearTimeout(timer);
      timer = wait(true);
      socket.write(helloRequest());
    });
    socket.on('data', (bytes: Buffer) => {
      got = Buffer.concat([got, bytes]);
      if (got.length >= HELLO_ANSWER_BYTES) end(() => resolve(got));
    });
    socket.on('end', () => end(() => resolve(got)));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (connected) end(() => resolve(got));
      else fail(`is not reached (${error.code ?? error.message})`);
    });
  });
}
