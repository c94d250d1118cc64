// A real disk that becomes full, where one can be mounted.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { testHubs } from '../hub/test-client.js';
import type { TestHub } from '../hub/test-hub.js';
import { type Disk, mountDisk } from '../test-disk.js';
import { Downloads } from './downloads.js';
import {
  filesIn,
  putRandom,
  REPO,
  sha256,
  TEST_RULES,
  testDetails,
  until,
} from './test-downloads.js';

/** Of a disk with 4 MB. */
const SIZE = 3_000_000;
const never = new AbortController().signal;
const wanted = { repo: REPO, revision: 'main' };

const hubs = testHubs();
let hub: TestHub;
let repo: ReturnType<TestHub['addRepo']>;
let disk: Disk | null;
let downloads: Downloads | null = null;
beforeEach(async () => {
  hub = await hubs.hub();
  repo = hub.addRepo(REPO);
  disk = mountDisk();
});
afterEach(async () => {
  await downloads?.close();
  downloads = null;
  disk?.remove();
});

async function open(modelsDir: string): Promise<Downloads> {
  downloads = await Downloads.open({
    ...{ modelsDir: () => modelsDir, details: testDetails(repo), memory: () => 1e9 },
    hub: hubs.client({ endpoint: hub.endpoint }),
    ...{ onArrived: async () => null, log: pino({ enabled: false }), goOn: true },
    rules: TEST_RULES,
  });
  return downloads;
}

it('a disk without room for it refuses it before the first byte', async ({ skip }) => {
  if (disk === null) return skip('no disk can be mounted here');
  putRandom(hub, 'big.gguf', 2 * SIZE);
  const opened = await open(disk.folder);
  await expect(opened.start(wanted, never)).rejects.toThrow(
    /There is not enough room on the disk of .*: 6\.0 MB are needed, \d\.\d MB are free\./,
  );
  expect(await readdir(disk.folder)).toEqual([]);
  expect(hub.requests).toEqual([]);
});

it('what is there already needs no room', async ({ skip }) => {
  if (disk === null) return skip('no disk can be mounted here');
  const bytes = putRandom(hub, 'm.gguf', SIZE);
  const opened = await open(disk.folder);
  for (const _ of ['once', 'twice']) {
    const { id } = await opened.start(wanted, never);
    expect(await opened.settled(id, never)).toMatchObject({ status: 'done' });
  }
  expect(await filesIn(disk.folder)).toEqual({ 'ada/tiny/m.gguf': sha256(bytes) });
});

it('what is under way already has its room', async ({ skip }) => {
  if (disk === null) return skip('no disk can be mounted here');
  putRandom(hub, 'one.gguf', SIZE);
  putRandom(hub, 'two.gguf', SIZE);
  hub.misbehave({ kind: 'stall', at: 10 });
  const opened = await open(disk.folder);
  const { id } = await opened.start({ ...wanted, name: 'one' }, never);
  await expect(opened.start({ ...wanted, name: 'two' }, never)).rejects.toThrow('not enough room');
  await opened.cancel(id);
  expect(await readdir(disk.folder)).toEqual([]);
});

it('a disk that becomes full pauses it, and nothing is lost', async ({ skip }) => {
  if (disk === null) return skip('no disk can be mounted here');
  const bytes = putRandom(hub, 'm.gguf', SIZE);
  const at = 1_000_000;
  hub.misbehave({ kind: 'stall', at });
  const opened = await open(disk.folder);
  const { id } = await opened.start(wanted, never);
  await until(opened, id, ({ received_bytes: received }) => received === at);
  disk.fill();
  // The stalled connection is given up by pausing; to resume there is no room.
  await opened.pause(id);
  await expect(opened.resume(id)).rejects.toThrow('not enough room');
  expect(opened.find(id)).toMatchObject({ status: 'paused', received_bytes: at });
  disk.clear();

  // It fills up while bytes come.
  hub.misbehave({ kind: 'trickle', bytes: 20_000, everyMs: 10 });
  await opened.resume(id);
  await until(opened, id, ({ received_bytes: received }) => received > at);
  disk.fill();
  const paused = await until(opened, id, ({ status }) => status === 'paused');
  expect(paused.reason).toBe('The disk is full. What has come is kept: make room, then resume.');
  expect(paused.received_bytes).toBeGreaterThan(at);
  disk.clear();
  hub.requests.length = 0;
  await opened.resume(id);
  expect(await opened.settled(id, never)).toMatchObject({ status: 'done' });
  const ranges = hub.requests.filter(({ place }) => place === 'bytes');
  expect(ranges.map(({ headers }) => headers.range)).toEqual([`bytes=${paused.received_bytes}-`]);
  expect(await filesIn(path.join(disk.folder))).toEqual({ 'ada/tiny/m.gguf': sha256(bytes) });
});
