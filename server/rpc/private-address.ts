/**
 * Which addresses RPC may use: those that the public internet does not route to. Its protocol has no authentication and
 * no encryption.
 */
import net from 'node:net';
import os from 'node:os';

const PRIVATE = new net.BlockList();
for (const [address, prefix] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  // link-local
  ['169.254.0.0', 16],
  // shared address space, which private overlay networks use
  ['100.64.0.0', 10],
] as const) {
  PRIVATE.addSubnet(address, prefix, 'ipv4');
}
PRIVATE.addAddress('::1', 'ipv6');
// unique local, link-local
PRIVATE.addSubnet('fc00::', 7, 'ipv6');
PRIVATE.addSubnet('fe80::', 10, 'ipv6');

/** In words, for refusals. */
export const PRIVATE_NETWORKS =
  'loopback, 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 100.64.0.0/10, 169.254.0.0/16, fc00::/7 and fe80::/10';

/** An IPv4 address that a socket of IPv6 tells, and a zone, are taken off. False for what is no address. */
export function isPrivateAddress(address: string): boolean {
  const bare = bareAddress(address);
  const family = net.isIP(bare);
  return family !== 0 && PRIVATE.check(bare, family === 4 ? 'ipv4' : 'ipv6');
}

/** Without a zone, and IPv4 as such. */
export function bareAddress(address: string): string {
  return address.replace(/%.*$/, '').replace(/^::ffff:(?=\d+(\.\d+){3}$)/i, '');
}

/** Addresses of this machine that the public internet may route to. */
export function publicAddresses(interfaces = os.networkInterfaces): string[] {
  return Object.values(interfaces())
    .flatMap((addresses) => addresses ?? [])
    .map(({ address }) => address)
    .filter((address) => !isPrivateAddress(address));
}
