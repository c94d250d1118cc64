// Against sockets that answer as workers do, and as they should not.
import net, { type AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { beginsHello, helloAnswer, helloRequest, isReached, shakeHands } from './handshake.js';

const servers: net.Server[] = [];
const sockets: net.Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(servers.splice(0).map((each) => new Promise((done) => each.close(done))));
});

async function peer(onSocket: (socket: net.Socket) => void) {
  const server = net.createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    onSocket(socket);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { host: `box:${port}`, endpoint: `127.0.0.1:${port}` };
}

const never = new AbortController().signal;
const options = { version: [7, 1, 0] as [number, number, number], patience: 30_000, signal: never };

test.each([
  [7, 1, 0],
  [7, 0, 9],
  [7, 1, 5],
] as const)('a worker of version %i.%i.%i is taken', async (...version) => {
  const worker = await peer((socket) => {
    socket.once('data', (bytes) => {
      expect(bytes).toEqual(helloRequest());
      const answer = helloAnswer([...version]);
      socket.write(answer.subarray(0, 5));
      socket.write(answer.subarray(5));
    });
  });
  await expect(shakeHands(worker, options)).resolves.toBeUndefined();
});

test.each([
  [6, 0, 0],
  [8, 0, 0],
  [7, 2, 0],
] as const)('a worker of version %i.%i.%i is refused with both versions', async (...version) => {
  const worker = await peer((socket) => void socket.end(helloAnswer([...version])));
  await expect(shakeHands(worker, options)).rejects.toThrow(
    `speaks version ${version.join('.')} of the protocol, this engine 7.1.0`,
  );
});

test.each([
  ['hangs up', (socket: net.Socket) => void socket.end()],
  [
    'resets the connection',
    (socket: net.Socket) => void socket.once('data', () => socket.resetAndDestroy()),
  ],
  [
    'answers as a web server',
    (socket: net.Socket) => void socket.end('HTTP/1.1 400 Bad\r\n'.repeat(9)),
  ],
])('what %s is no worker', async (_, answer) => {
  const worker = await peer(answer);
  await expect(shakeHands(worker, options)).rejects.toThrow(/is no RPC worker that this version/);
});

test('a silent one is given up', async () => {
  const worker = await peer(() => {});
  await expect(shakeHands(worker, { ...options, patience: 50 })).rejects.toThrow(
    /did not answer within 0\.05 seconds; it may be busy/,
  );
});

test('one that is not there is told by name', async () => {
  const worker = await peer(() => {});
  await Promise.all(servers.splice(0).map((each) => new Promise((done) => each.close(done))));
  await expect(shakeHands(worker, options)).rejects.toThrow(
    `The RPC worker ${worker.host} is not reached (ECONNREFUSED).`,
  );
  expect(await isReached(worker, 30_000)).toBe(false);
});

test('an abort ends the wait', async () => {
  const abort = new AbortController();
  const worker = await peer(() => abort.abort());
  await expect(shakeHands(worker, { ...options, signal: abort.signal })).rejects.toThrow(/abort/);
  await expect(shakeHands(worker, { ...options, signal: abort.signal })).rejects.toThrow(/abort/);
  expect(await isReached(worker, 30_000)).toBe(true);
});

test('the first bytes tell whether it is RPC', () => {
  const hello = helloRequest();
  expect(beginsHello(hello)).toBe(true);
  expect(beginsHello(hello.subarray(0, 1))).toBe(true);
  expect(beginsHello(Buffer.concat([hello, Buffer.from('more')]))).toBe(true);
  expect(beginsHello(Buffer.from('GET / HTTP/1.1\r\n'))).toBe(false);
  expect(beginsHello(Buffer.from([14, 255, 255, 255]))).toBe(false);
});
