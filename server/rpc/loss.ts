/** Why an engine ended that had layers on RPC workers. */
import type { RpcPeer } from '../../protocol/engine-channel.js';
import type { EngineExit } from '../engine/spawn.js';
import { isReached } from './handshake.js';

/** What ggml says before it aborts. */
const RPC_ABORT = /Remote RPC server crashed|Failed to connect to|RPC handshake failed/;

/** Milliseconds for a worker to answer when another one, or it, is lost. */
const PATIENCE = 1000;

/** A sentence for people; null: it ended for another reason. */
export async function lossReason(
  exit: EngineExit,
  workers: readonly RpcPeer[],
): Promise<string | null> {
  // Electron does not tell what an engine wrote last
  const isAbort = exit.stderr === '' && (exit.signal === 'SIGABRT' || exit.code === 134);
  if (!RPC_ABORT.test(exit.stderr) && !isAbort) return null;
  const lost = workers.length === 1 ? [...workers] : await unreached(workers);
  const hosts = (lost.length > 0 ? lost : workers).map(({ host }) => host);
  return lossOf(hosts, lost.length > 0 ? '' : 'one of ');
}

/** A sentence for people. */
export function lossOf(hosts: readonly string[], which = ''): string {
  return `The engine process ended because a connection to an RPC worker broke: ${which}${hosts.join(', ')}.`;
}

async function unreached(workers: readonly RpcPeer[]): Promise<RpcPeer[]> {
  const reached = await Promise.all(workers.map((worker) => isReached(worker, PATIENCE)));
  return workers.filter((_, i) => !reached[i]);
}
