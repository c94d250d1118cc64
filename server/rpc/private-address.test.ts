import type os from 'node:os';
import { expect, test } from 'vitest';
import { isPrivateAddress, publicAddresses } from './private-address.js';

test.each([
  ...['127.0.0.1', '127.255.0.9', '10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255'],
  ...['192.168.0.1', '169.254.10.10', '100.64.0.1', '100.127.255.255'],
  ...['::1', 'fc00::1', 'fdff:1::2', 'fe80::1', 'fe80::1%eth0', '::ffff:10.0.0.1'],
])('%s is private', (address) => {
  expect(isPrivateAddress(address)).toBe(true);
});

test.each([
  ...['8.8.8.8', '11.0.0.1', '9.255.255.255', '172.15.0.1', '172.32.0.1', '192.169.0.1'],
  ...['100.63.255.255', '100.128.0.0', '126.0.0.1', '169.253.0.1', '0.0.0.0', '255.255.255.255'],
  ...['::', '2001:db8::1', 'fb00::1', 'fec0::1', '::ffff:8.8.8.8', 'ff02::1'],
  ...['', 'localhost', '10.0.0', '10.0.0.0/8', '010.0.0.1', '0x7f.0.0.1', '2130706433'],
])('"%s" is not', (address) => {
  expect(isPrivateAddress(address)).toBe(false);
});

test('tells which addresses of this machine are not private', () => {
  const address = (text: string) => ({ address: text }) as os.NetworkInterfaceInfo;
  const interfaces = () => ({
    lo: [address('127.0.0.1'), address('::1')],
    eth0: [address('192.168.1.4'), address('2001:db8::4'), address('fe80::4%eth0')],
  });
  expect(publicAddresses(interfaces)).toEqual(['2001:db8::4']);
  expect(publicAddresses(() => ({}))).toEqual([]);
});
