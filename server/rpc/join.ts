/** Brings RPC workers into an engine process before it loads a model. */
import type { RpcPeer, RpcProblem } from '../../protocol/engine-channel.js';
import type { LoadOptions, MemoryEstimate } from '../../protocol/engine-load.js';
import { type RpcVersion, shakeHands } from './handshake.js';
import { findPeer, RpcHostError } from './hosts.js';

/** Milliseconds to connect to a worker, and again to be answered. */
const PATIENCE = 5000;

/** Of all workers together: llama.cpp computes on 16 at most, and this machine has some of its own. */
const DEVICES_MAX = 12;

/** The part of the addon that is used here. */
export interface RpcAddon {
  readonly rpcVersion: RpcVersion;
  estimate(options: LoadOptions): Promise<MemoryEstimate>;
  addRpcWorker(endpoint: string, maxDevices: number): number;
}

export interface Joined {
  workers: RpcPeer[];
  /** Hosts that are left out. */
  problems: RpcProblem[];
}

/**
 * Adds the workers that are there, where the model is to use any: it then lies on them, on this machine's graphics cards
 * and, as to the rest, in main memory. Null: it stays on this machine. Rejects when `signal` aborts.
 */
export async function joinWorkers(
  addon: RpcAddon,
  options: LoadOptions,
  hosts: readonly string[],
  signal: AbortSignal,
): Promise<Joined | null> {
  if (hosts.length === 0 || options.rpc === 'off') return null;
  if (options.rpc === 'auto' && (await fitsHere(addon, options))) return null;
  const found = await Promise.all(
    [...new Set(hosts)].map((host) => ask(host, addon.rpcVersion, signal)),
  );
  const joined: Joined = { workers: [], problems: [] };
  let devices = 0;
  for (const peer of found) {
    if ('reason' in peer) {
      joined.problems.push(peer);
    } else if (joined.workers.every(({ endpoint }) => endpoint !== peer.endpoint)) {
      if (devices < DEVICES_MAX) {
        devices += addon.addRpcWorker(peer.endpoint, DEVICES_MAX - devices);
        joined.workers.push(peer);
      } else {
        joined.problems.push({ host: peer.host, reason: oneTooMany(peer) });
      }
    }
  }
  return joined;
}

function oneTooMany({ host }: RpcPeer): string {
  return `The RPC worker ${host} is one too many: ${DEVICES_MAX} devices of workers can be used.`;
}

/** What cannot be loaded at all is told by the load itself. */
async function fitsHere(addon: RpcAddon, options: LoadOptions): Promise<boolean> {
  const estimate = await addon.estimate(options).catch(() => null);
  return estimate?.fits ?? true;
}

async function ask(
  host: string,
  version: RpcVersion,
  signal: AbortSignal,
): Promise<RpcPeer | RpcProblem> {
  try {
    const peer = await findPeer(host);
    await shakeHands(peer, { version, patience: PATIENCE, signal });
    return peer;
  } catch (error) {
    if (error instanceof RpcHostError) return { host, reason: error.message };
    throw error;
  }
}
