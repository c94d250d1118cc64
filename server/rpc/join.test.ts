// Against sockets that greet as workers do; the addon counts what it is given, since no machine here has so many devices.
import net, { type AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { LoadOptions, MemoryEstimate } from '../../protocol/engine-load.js';
import { helloAnswer } from './handshake.js';
import { joinWorkers, type RpcAddon } from './join.js';

const servers: net.Server[] = [];
const sockets: net.Socket[] = [];
let fits: boolean;
let added: [endpoint: string, maxDevices: number][];

beforeEach(() => {
  fits = false;
  added = [];
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(servers.splice(0).map((each) => new Promise((done) => each.close(done))));
});

async function worker(): Promise<string> {
  const server = net.createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.resume();
    socket.write(helloAnswer([7, 0, 0]));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const addon: RpcAddon = {
  rpcVersion: [7, 0, 0],
  estimate: async () => ({ fits }) as MemoryEstimate,
  addRpcWorker: (endpoint, maxDevices) => {
    added.push([endpoint, maxDevices]);
    return Math.min(8, maxDevices);
  },
};

const join = (hosts: string[], rpc: LoadOptions['rpc'] = 'auto') =>
  joinWorkers(addon, { rpc } as LoadOptions, hosts, new AbortController().signal);

test('workers are added where the model does not fit, or is to use them', async () => {
  const host = await worker();
  const joined = { workers: [{ host, endpoint: host }], problems: [] };
  expect(await join([host])).toEqual(joined);
  fits = true;
  expect(await join([host])).toBeNull();
  expect(await join([host], 'on')).toEqual(joined);
  expect(await join([host], 'off')).toBeNull();
  expect(await join([], 'on')).toBeNull();
  expect(added).toHaveLength(2);
});

test('a worker that is named twice is added once', async () => {
  const host = await worker();
  const joined = await join([host, host, host.replace('127.0.0.1', 'localhost')]);
  expect(joined?.workers).toHaveLength(1);
  expect(added).toHaveLength(1);
});

test('no more devices are added than llama.cpp can compute on', async () => {
  const hosts = await Promise.all([worker(), worker(), worker()]);
  const [first = '', second = '', third = ''] = hosts;
  const joined = await join(hosts);
  expect(added).toEqual([
    [first, 12],
    [second, 4],
  ]);
  expect(joined?.problems).toEqual([
    { host: third, reason: expect.stringContaining('is one too many: 12 devices') },
  ]);
});
