import { expect, test } from 'vitest';
import { findPeer } from './hosts.js';

const names: Readonly<Record<string, string[]>> = {
  'box.lan': ['fd00::7', '10.0.0.7', '10.0.0.8'],
  'mixed.example': ['10.0.0.7', '203.0.113.7'],
  'six.lan': ['fd00::7'],
};

const find = (host: string) =>
  findPeer(host, async (name) => {
    const addresses = names[name];
    if (addresses === undefined) throw new Error('ENOTFOUND');
    return addresses;
  });

test('a worker is reached by an address, not by its name', async () => {
  expect(await find('box.lan:50052')).toEqual({
    host: 'box.lan:50052',
    endpoint: '10.0.0.7:50052',
  });
  expect(await find('127.0.0.1:1')).toEqual({ host: '127.0.0.1:1', endpoint: '127.0.0.1:1' });
});

test.each([
  ['203.0.113.7:50052', /203\.0\.113\.7 is not a private address/],
  ['mixed.example:50052', /mixed\.example:50052 is refused: 203\.0\.113\.7/],
  ['nowhere.lan:50052', /there is no host "nowhere\.lan"/],
  ['six.lan:50052', /no IPv4 address/],
  ['box.lan', /write it as host:port/],
  ['box.lan:0', /write it as host:port/],
  ['box.lan:65536', /write it as host:port/],
  ['http://box.lan:1', /write it as host:port/],
  ['', /write it as host:port/],
])('"%s" is refused in words', async (host, words) => {
  await expect(find(host)).rejects.toThrow(words);
});
