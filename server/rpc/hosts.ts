/** RPC workers as they are set, "host:port", and as they are reached: by private addresses only. */
import dns from 'node:dns/promises';
import net from 'node:net';
import type { RpcPeer } from '../../protocol/engine-channel.js';
import { RPC_HOST } from '../../protocol/settings.js';
import { isPrivateAddress, PRIVATE_NETWORKS } from './private-address.js';

/** Why a worker cannot be used; the message is a sentence for people. */
export class RpcHostError extends Error {
  override readonly name = 'RpcHostError';
}

/** All addresses of a name; rejects where there are none. */
export type Resolve = (name: string) => Promise<string[]>;

const resolveName: Resolve = async (name) => {
  const found = await dns.lookup(name, { all: true });
  return found.map(({ address }) => address);
};

/**
 * What can be told of a worker as it is set, before anything is looked up. A name passes: its addresses may change.
 * @throws RpcHostError
 */
export function parseHost(host: string): { name: string; port: string } {
  const [, name = '', port = ''] = RPC_HOST.exec(host) ?? [];
  if (Number(port) < 1 || Number(port) > 65_535) {
    throw new RpcHostError(
      `"${host}" is no RPC worker: write it as host:port, such as 10.0.0.2:50052.`,
    );
  }
  if (net.isIP(name)) refuseForeign(host, [name]);
  return { name, port };
}

function refuseForeign(host: string, addresses: readonly string[]): void {
  const foreign = addresses.find((address) => !isPrivateAddress(address));
  if (foreign === undefined) return;
  throw new RpcHostError(
    `The RPC worker ${host} is refused: ${foreign} is not a private address (${PRIVATE_NETWORKS}). RPC has no authentication and no encryption.`,
  );
}

/**
 * Looks a worker up. A name must have private addresses only: one of another kind may be what a later lookup gives. The
 * endpoint holds an address, so that nothing is looked up again.
 * @throws RpcHostError
 */
export async function findPeer(host: string, resolve: Resolve = resolveName): Promise<RpcPeer> {
  const { name, port } = parseHost(host);
  const addresses = net.isIP(name)
    ? [name]
    : await resolve(name).catch(() => {
        throw new RpcHostError(`The RPC worker ${host} was not found: there is no host "${name}".`);
      });
  refuseForeign(host, addresses);
  const address = addresses.find((each) => net.isIPv4(each));
  if (address === undefined) {
    throw new RpcHostError(`The RPC worker ${host} has no IPv4 address, which RPC needs.`);
  }
  return { host, endpoint: `${address}:${port}` };
}
