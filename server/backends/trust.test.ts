import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Trust, type Verdict } from './trust.js';

const DEVICE = { name: 'CPU', description: 'a processor', isGpu: false };
const WORKS: Verdict = {
  score: 3,
  probe: { outcome: 'works', module: { name: 'CPU', score: 3, devices: [DEVICE] } },
};
const WITHOUT_DEVICE: Verdict = {
  probe: { outcome: 'works', module: { name: 'Vulkan', score: 1, devices: [] } },
};
const BROKEN: Verdict = { probe: { outcome: 'broken', reason: 'It crashed.' } };
const DAY = 24 * 60 * 60 * 1000;

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'trust-'));
});
afterEach(() => rm(dataDir, { recursive: true }));

test('is there at the next start on the same machine, and nothing but the one file', async () => {
  const trust = await Trust.open(dataDir, 'here');
  trust.set('a', { score: 3 });
  trust.set('a', { probe: WORKS.probe });
  await trust.save();
  expect((await Trust.open(dataDir, 'here')).get('a')).toMatchObject(WORKS);
  expect(await readdir(dataDir)).toEqual(['backends.json']);
});

test('is gone when the processor or a driver has changed, and for another module', async () => {
  const trust = await Trust.open(dataDir, 'here');
  trust.set('a', WORKS);
  await trust.save();
  expect((await Trust.open(dataDir, 'there')).get('a')).toEqual({});
  expect((await Trust.open(dataDir, 'here')).get('b')).toEqual({});
});

test('a failure and a lack of devices are tried again after a day, what works is not', async () => {
  const trust = await Trust.open(dataDir, 'here', 0);
  trust.set('a', WORKS, 0);
  trust.set('b', BROKEN, 0);
  trust.set('c', WITHOUT_DEVICE, 0);
  await trust.save();
  const sameDay = await Trust.open(dataDir, 'here', DAY - 1);
  expect(sameDay.get('b')).toMatchObject(BROKEN);
  expect(sameDay.get('c')).toMatchObject(WITHOUT_DEVICE);
  const nextDay = await Trust.open(dataDir, 'here', DAY);
  expect(nextDay.get('b')).toEqual({});
  expect(nextDay.get('c')).toEqual({});
  expect(nextDay.get('a')).toMatchObject(WORKS);
});

test.each(['', '{', '[]', '{"machine": "here", "modules": {"a": {"probe": {"outcome": "?"}}}}'])(
  'a damaged file (%s) is as good as none',
  async (text) => {
    await writeFile(path.join(dataDir, 'backends.json'), text);
    const trust = await Trust.open(dataDir, 'here');
    expect(trust.get('a')).toEqual({});
    trust.set('a', WORKS);
    await trust.save();
    expect((await Trust.open(dataDir, 'here')).get('a')).toMatchObject(WORKS);
  },
);

test('a folder that cannot be made is no error', async () => {
  await writeFile(path.join(dataDir, 'file'), '');
  const trust = await Trust.open(path.join(dataDir, 'file', 'below'), 'here');
  trust.set('a', WORKS);
  await trust.save();
  expect(trust.get('a')).toMatchObject(WORKS);
});
