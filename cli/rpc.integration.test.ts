// Engines whose layers lie on RPC workers: real engine processes, and workers as processes of their own.
import net from 'node:net';
import { expect, test } from 'vitest';
import type { EngineEvent } from '../protocol/engine.js';
import type { Engine } from '../server/engine/engine.js';
import { GenerationStream } from '../server/generation/stream.js';
import { chatPrompt, greedy } from '../server/generation/test-generation.js';
import { helloRequest } from '../server/rpc/handshake.js';
import { TOO_LITTLE, testWorkers } from './test-workers.js';

const { worker, engine } = testWorkers();

/** Nobody listens there: port 1 is no port of a program that people start. */
const DEAD = '127.0.0.1:1';
const PUBLIC = '203.0.113.7:50052';

function run(on: Engine, maxTokens: number | null, signal = new AbortController().signal) {
  const stream = new GenerationStream();
  on.run(greedy(chatPrompt('Tell me something.'), maxTokens), signal, stream);
  return stream;
}

async function all(stream: GenerationStream): Promise<EngineEvent[]> {
  await stream.accepted;
  const events: EngineEvent[] = [];
  for await (const batch of stream.events) events.push(...batch);
  return events;
}

const tokenIds = (events: EngineEvent[]) =>
  events.flatMap((event) => (event.type === 'token' ? [event.tokenId] : []));

test('a model over two workers writes what it writes here', async () => {
  const [a, b] = await Promise.all([worker(), worker()]);
  const here = engine('scripted', []);
  const spread = engine('scripted', [a.host, b.host], { rpc: 'on' });
  await Promise.all([here.loaded, spread.loaded]);
  const [expected, written] = await Promise.all([all(run(here, 24)), all(run(spread, 24))]);
  expect(tokenIds(written).length).toBeGreaterThan(5);
  expect(tokenIds(written)).toEqual(tokenIds(expected));
});

test('a model that is too big for this machine lies on workers by their memory', async () => {
  const [big, small] = await Promise.all([
    worker('--memory', '200MB'),
    worker('--memory', '100MB'),
  ]);
  const spread = engine('slow', [big.host, small.host], { memoryBytes: TOO_LITTLE });
  const { memory, devices } = await spread.loaded;
  expect(devices).toEqual(['CPU', `RPC ${big.host}`, `RPC ${small.host}`]);
  const weights = memory.map(({ weightsBytes }) => weightsBytes);
  const [, onBig = 0, onSmall = 0] = weights;
  expect(onSmall).toBeGreaterThan(0);
  expect(onBig / onSmall).toBeGreaterThan(1.4);
  expect(onBig / onSmall).toBeLessThan(2.9);
  expect(spread.rpcProblems).toEqual([]);
  expect((await all(run(spread, 8))).at(-1)).toMatchObject({ type: 'done', outputTokens: 8 });
});

test('a model that fits here stays here, and one that may not leave is refused', async () => {
  const { host } = await worker();
  const fits = engine('slow', [host]);
  expect((await fits.loaded).devices).toEqual(['CPU']);
  const stays = engine('slow', [host], { rpc: 'off', memoryBytes: TOO_LITTLE / 2 });
  await expect(stays.loaded).rejects.toMatchObject({ code: 'out_of_memory' });
});

test('hosts that cannot be used are told by name, and the model does without them', async () => {
  const { host } = await worker();
  const hosts = [DEAD, PUBLIC, host];
  const spread = engine('slow', hosts, { rpc: 'on' });
  expect((await spread.loaded).devices).toEqual(['CPU', `RPC ${host}`]);
  const told = [
    expect.stringMatching(`RPC worker ${DEAD} is not reached`),
    expect.stringMatching(`RPC worker ${PUBLIC} is refused: 203.0.113.7 is not a private address`),
  ];
  expect(spread.rpcProblems).toEqual(told);

  const alone = engine('slow', [DEAD], { rpc: 'on' });
  expect((await alone.loaded).devices).toEqual(['CPU']);
  expect(alone.rpcProblems).toEqual([told[0]]);

  const nowhere = engine('slow', [DEAD], { memoryBytes: TOO_LITTLE / 2 });
  await expect(nowhere.loaded).rejects.toMatchObject({
    code: 'out_of_memory',
    message: expect.stringMatching(/needs .* RPC worker 127\.0\.0\.1:1 is not reached/),
  });
});

test('a cancelled answer ends, and the model goes on with the next', async () => {
  const { host } = await worker();
  const spread = engine('slow', [host], { rpc: 'on', contextLength: 4096 });
  await spread.loaded;
  const abort = new AbortController();
  const stream = run(spread, null, abort.signal);
  let last: EngineEvent | undefined;
  for await (const batch of stream.events) {
    last = batch.at(-1);
    if (batch.some(({ type }) => type === 'token')) abort.abort();
  }
  expect(last).toMatchObject({ type: 'done', finishReason: 'cancelled' });
  expect((await all(run(spread, 4))).at(-1)).toMatchObject({ type: 'done', outputTokens: 4 });
});

test('a worker that is killed ends answers with its name, and the next load does without it', async () => {
  const [lost, kept] = await Promise.all([worker(), worker()]);
  const hosts = [lost.host, kept.host];
  const spread = engine('slow', hosts, { rpc: 'on', contextLength: 4096 });
  await spread.loaded;
  const stream = run(spread, null);
  let last: EngineEvent | undefined;
  let killed = false;
  for await (const batch of stream.events) {
    last = batch.at(-1);
    if (killed || !batch.some(({ type }) => type === 'token')) continue;
    killed = lost.run.child.kill('SIGKILL');
  }
  const words = `a connection to an RPC worker broke: ${lost.host}.`;
  expect(last).toMatchObject({
    type: 'error',
    code: 'engine_crashed',
    message: expect.stringContaining(words),
  });
  expect(spread.endReason(await spread.gone)).toContain(words);
  expect(spread.crashed).toBe(true);

  const again = engine('slow', hosts, { rpc: 'on' });
  expect((await again.loaded).devices).toEqual(['CPU', `RPC ${kept.host}`]);
  expect(again.rpcProblems).toEqual([expect.stringContaining(lost.host)]);
  expect((await all(run(again, 4))).at(-1)).toMatchObject({ type: 'done' });
});

test('a worker that is killed while nobody asks ends the engine with its name', async () => {
  const { host, run: program } = await worker();
  const spread = engine('slow', [host], { rpc: 'on' });
  await spread.loaded;
  program.child.kill('SIGKILL');
  expect(spread.endReason(await spread.gone)).toContain(`an RPC worker broke: ${host}.`);
  expect(spread.crashed).toBe(true);
});

/** Sends bytes and waits until the other side hangs up. */
function send(host: string, bytes: Buffer): Promise<void> {
  const [address = '', port = ''] = host.split(':');
  return new Promise((resolve) => {
    const socket = net.connect({ host: address, port: Number(port) }, () => socket.write(bytes));
    socket.on('data', () => {});
    socket.on('error', () => {});
    socket.on('close', () => resolve());
  });
}

/** A command with as many bytes as it says. */
function command(number: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUInt8(number, 0);
  head.writeBigUInt64LE(BigInt(payload.length), 1);
  return Buffer.concat([head, payload]);
}

test('what is not RPC, and what ends the process that serves, leaves the worker as it is', async () => {
  const { host, run: program } = await worker();
  await send(host, Buffer.from('GET / HTTP/1.1\r\n\r\n'));
  await send(host, Buffer.alloc(1_000_000, 255));
  // an unknown command; a message of more bytes than there are anywhere
  await send(host, Buffer.concat([helloRequest(), Buffer.from([99])]));
  const huge = Buffer.concat([Buffer.from([6]), Buffer.alloc(8, 255)]);
  await send(host, Buffer.concat([helloRequest(), huge]));
  // a graph with a device, nodes and tensors that are not there
  await send(host, Buffer.concat([helloRequest(), command(10, Buffer.alloc(4096, 1))]));
  const spread = engine('slow', [host], { rpc: 'on' });
  expect((await spread.loaded).devices).toEqual(['CPU', `RPC ${host}`]);
  expect((await all(run(spread, 4))).at(-1)).toMatchObject({ type: 'done' });
  expect(program.child.exitCode).toBeNull();
  expect(program.stdout()).toContain('what it sent is not RPC');
});
