import net, { type AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { lossReason } from './loss.js';

const ABORT = 'ggml-rpc.cpp:431: Remote RPC server crashed or returned malformed response\n';
const servers: net.Server[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((each) => new Promise((done) => each.close(done))));
});

async function live() {
  const server = net.createServer((socket) => socket.destroy());
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { host: `live-${servers.length}`, endpoint };
}

const DEAD = { host: 'dead', endpoint: '127.0.0.1:1' };
const exit = (stderr: string, signal: string | null = 'SIGABRT') => ({
  code: null,
  signal,
  stderr,
});
const BROKE = 'The engine process ended because a connection to an RPC worker broke: ';

test('the only worker is named, whether it is back again or not', async () => {
  expect(await lossReason(exit(ABORT), [await live()])).toBe(`${BROKE}live-1.`);
  expect(await lossReason(exit(ABORT), [DEAD])).toBe(`${BROKE}dead.`);
});

test('of several those that are not there are named', async () => {
  const workers = [await live(), DEAD, await live()];
  expect(await lossReason(exit(ABORT), workers)).toBe(`${BROKE}dead.`);
  const alive = workers.filter((worker) => worker !== DEAD);
  expect(await lossReason(exit(ABORT), alive)).toBe(`${BROKE}one of live-1, live-2.`);
});

test('where nobody hears the last words of an engine, an abort is taken for it', async () => {
  expect(await lossReason(exit(''), [DEAD])).toBe(`${BROKE}dead.`);
});

test('another end has another reason', async () => {
  expect(await lossReason(exit('', 'SIGKILL'), [DEAD])).toBeNull();
  expect(await lossReason(exit('model.cpp:1: GGML_ASSERT(a) failed'), [DEAD])).toBeNull();
});
