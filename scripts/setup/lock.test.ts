import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withLock } from './lock.mjs';

let folder = '';
let lock = '';

beforeEach(async () => {
  folder = await fs.mkdtemp(path.join(os.tmpdir(), 'lock-test-'));
  lock = path.join(folder, 'state', 'setup.lock');
});
afterEach(() => fs.rm(folder, { recursive: true, force: true }));

async function holderFile(fields: object) {
  await fs.mkdir(path.dirname(lock), { recursive: true });
  const holder = { token: 'old', startedAt: null, host: os.hostname(), groups: [], ...fields };
  await fs.writeFile(lock, JSON.stringify(holder));
}

/** A process that has ended: its pid belongs to nobody. */
async function endedPid() {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return child.pid ?? 0;
}

test('runs one at a time', async () => {
  let n_inside = 0;
  let n_most = 0;
  const work = async () => {
    n_inside++;
    n_most = Math.max(n_most, n_inside);
    await new Promise(setImmediate);
    n_inside--;
  };
  await Promise.all([1, 2, 3].map(() => withLock(lock, work)));
  expect(n_most).toBe(1);
  expect(await fs.readdir(path.dirname(lock))).toEqual([]);
});

test('says who holds it, once, and gives it up after a failure', async () => {
  const waits: number[] = [];
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const first = withLock(lock, async () => {
    await held;
    throw new Error('the step failed');
  });
  const failed = expect(first).rejects.toThrow('the step failed');
  await expect.poll(() => fs.readdir(path.dirname(lock)).catch(() => [])).toEqual(['setup.lock']);
  const second = withLock(
    lock,
    async () => 'done',
    (holder) => {
      waits.push(holder.pid);
      release();
    },
  );
  await failed;
  expect(await second).toBe('done');
  expect(waits).toEqual([process.pid]);
});

test('takes over from a process that is gone', async () => {
  await holderFile({ pid: await endedPid() });
  expect(await withLock(lock, async () => 'done')).toBe('done');
});

test.runIf(process.platform === 'linux')(
  'takes over where the pid now belongs to another process',
  async () => {
    await holderFile({ pid: process.pid, startedAt: '1' });
    expect(await withLock(lock, async () => 'done')).toBe('done');
  },
);

test('takes over a file that was cut short', async () => {
  await fs.mkdir(path.dirname(lock), { recursive: true });
  await fs.writeFile(lock, '{"token":');
  expect(await withLock(lock, async () => 'done')).toBe('done');
});

test('leaves the lock to a holder on another machine that was heard of lately', async () => {
  await holderFile({ pid: 1, host: `not-${os.hostname()}` });
  let release = () => {};
  const waited = new Promise<void>((resolve) => {
    release = resolve;
  });
  const second = withLock(lock, async () => 'done', release);
  await waited;
  // Silent for three minutes: gone.
  const past = new Date(Date.now() - 180_000);
  await fs.utimes(lock, past, past);
  expect(await second).toBe('done');
});

test.skipIf(process.platform === 'win32')('ends what a killed holder left running', async () => {
  const left = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
    detached: true,
    stdio: 'ignore',
  });
  const ended = once(left, 'exit');
  await holderFile({ pid: await endedPid(), groups: [left.pid] });
  await withLock(lock, async () => {});
  expect((await ended)[1]).toBe('SIGKILL');
});
