import type { NetworkInterfaceInfo } from 'node:os';
import { expect, it } from 'vitest';
import { addressesOf } from './addresses.js';

const v4 = (address: string, internal = false): NetworkInterfaceInfo => ({
  ...{ address, internal, family: 'IPv4', netmask: '255.255.255.0' },
  ...{ mac: '00:00:00:00:00:00', cidr: `${address}/24` },
});
const v6 = (address: string, internal = false): NetworkInterfaceInfo => ({
  ...{ address, internal, family: 'IPv6', netmask: 'ffff:ffff:ffff:ffff::' },
  ...{ mac: '00:00:00:00:00:00', cidr: `${address}/64`, scopeid: 0 },
});

const INTERFACES = {
  lo: [v4('127.0.0.1', true), v6('::1', true)],
  eth0: [v6('FD00::5'), v4('192.168.1.5'), v6('fe80::1')],
  wlan0: [v4('10.0.0.7'), v4('192.168.1.5')],
};

it.each([
  ['127.0.0.1', ['127.0.0.1']],
  ['localhost', ['127.0.0.1']],
  ['::1', ['[::1]']],
  ['192.168.1.5', ['192.168.1.5']],
  ['llm.example', ['llm.example']],
  ['0.0.0.0', ['192.168.1.5', '10.0.0.7', '127.0.0.1']],
  ['::', ['192.168.1.5', '10.0.0.7', '[fd00::5]', '127.0.0.1']],
  ['[::]', ['192.168.1.5', '10.0.0.7', '[fd00::5]', '127.0.0.1']],
])('%s is reached at %j', (host, addresses) => {
  expect(addressesOf(host, () => INTERFACES)).toEqual(addresses);
});

it('is the loopback alone where there is no network', () => {
  expect(addressesOf('0.0.0.0', () => ({ lo: INTERFACES.lo }))).toEqual(['127.0.0.1']);
});
