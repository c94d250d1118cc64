import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isHeld, ProcessLock, removeStale } from './process-lock.js';

let folder: string;
beforeEach(async () => {
  folder = path.join(await mkdtemp(path.join(os.tmpdir(), 'lock-')));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const SOURCE = pathToFileURL(path.join(import.meta.dirname, 'process-lock.ts')).href;

/** A process that takes a lock, says its name, and waits for its end. */
async function holder() {
  const script = `
    import { ProcessLock } from ${JSON.stringify(SOURCE)};
    const lock = new ProcessLock(process.argv[1]);
    lock.take();
    console.log(lock.name);
    setInterval(() => {}, 1000);`;
  const args = ['--import', 'tsx', '--input-type=module', '-e', script, folder];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [name] = await once(child.stdout, 'data');
  return { child, name: String(name).trim() };
}

it('ends with its process, however that ends, and is cleared away then', async () => {
  const { child, name } = await holder();
  expect(isHeld(folder, name)).toBe(true);
  // Looking does not take it away.
  expect(isHeld(folder, name)).toBe(true);
  removeStale(folder);
  expect(existsSync(path.join(folder, name))).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(isHeld(folder, name)).toBe(false);
  removeStale(folder);
  expect(readdirSync(folder)).toEqual([]);
});

it('is seen by its own process too, and given back', () => {
  const lock = new ProcessLock(folder);
  lock.take();
  lock.take();
  expect(isHeld(folder, lock.name)).toBe(true);
  removeStale(folder);
  expect(readdirSync(folder)).toEqual([lock.name]);
  lock.release();
  expect(isHeld(folder, lock.name)).toBe(false);
  expect(readdirSync(folder)).toEqual([]);
});

it('looks at no other files, and at none outside', async () => {
  await writeFile(path.join(folder, 'running-x.lock'), '');
  await writeFile(path.join(folder, 'keys.json'), '');
  removeStale(folder);
  expect(readdirSync(folder).length).toBe(2);
  expect(isHeld(folder, '../running-000000000000000000000000.lock')).toBe(false);
});

it('says so where no file can be made', () => {
  const lock = new ProcessLock(path.join(folder, 'nowhere'));
  expect(() => lock.take()).toThrow();
  lock.release();
});
