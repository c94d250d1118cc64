/** Where a server that listens at every address of this machine is reached. */
import os from 'node:os';
import { urlHost } from './guard.js';

/** Names that mean every address, as in a URL. */
const EVERYWHERE: Readonly<Record<string, readonly string[]>> = {
  '0.0.0.0': ['IPv4'],
  '[::]': ['IPv4', 'IPv6'],
};

const LOOPBACK = '127.0.0.1';

/**
 * The addresses of a server bound to `host`, as in a URL. Those that other machines reach come first, the loopback last.
 * Addresses that mean something on one link only are left out.
 */
export function addressesOf(
  host: string,
  interfaces = os.networkInterfaces,
): [string, ...string[]] {
  const bound = host === 'localhost' ? LOOPBACK : urlHost(host);
  const families = EVERYWHERE[bound];
  if (families === undefined) return [bound];
  const found = Object.values(interfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, internal }) => families.includes(family) && !internal)
    .map(({ address }) => urlHost(address))
    .filter((address) => !/^\[fe[89ab]/.test(address));
  const ofFour = found.filter((address) => !address.startsWith('['));
  const [first = LOOPBACK, ...others] = new Set([...ofFour, ...found, LOOPBACK]);
  return [first, ...others];
}
