import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { copyAtomic, hashTree, inTemporaryFolder, placeFolder, readJson } from './cache.mjs';
import { cacheDir } from './paths.mjs';

let root = '';
beforeEach(async () => {
  root = await fs.mkdtemp(path.join(os.tmpdir(), 'cache-test-'));
});
afterEach(() => fs.rm(root, { recursive: true, force: true }));

const write = async (file: string, text: string) => {
  await fs.mkdir(path.dirname(path.join(root, file)), { recursive: true });
  await fs.writeFile(path.join(root, file), text);
};

test('a tree’s digest follows names and contents, and files that come and go', async () => {
  await write('src/a.ts', 'one');
  const hash = () => hashTree(root, ['src', 'later.json'], (file) => !file.endsWith('.test.ts'));
  const before = await hash();
  await write('src/a.test.ts', 'not counted');
  expect(await hash()).toBe(before);
  await write('src/a.ts', 'two');
  const changed = await hash();
  expect(changed).not.toBe(before);
  await write('later.json', '');
  expect(await hash()).not.toBe(changed);
});

test('names and contents do not run together', async () => {
  await write('a/x', 'yz');
  await write('b/xy', 'z');
  expect(await hashTree(path.join(root, 'a'), ['x'])).not.toBe(
    await hashTree(path.join(root, 'b'), ['xy']),
  );
});

test('a temporary folder goes away, also after a failure, and old leftovers with it', async () => {
  const old = path.join(root, '.tmp-left-by-a-kill');
  await fs.mkdir(old);
  await fs.utimes(old, new Date(0), new Date(0));
  const failing = inTemporaryFolder(root, async (folder) => {
    await fs.writeFile(path.join(folder, 'half'), '');
    throw new Error('interrupted');
  });
  await expect(failing).rejects.toThrow('interrupted');
  expect(await fs.readdir(root)).toEqual([]);
});

test('the first of two who place the same folder wins, unless it is to be replaced', async () => {
  await write('first/who', 'first');
  await write('second/who', 'second');
  await write('third/who', 'third');
  const target = path.join(root, 'target');
  const who = () => fs.readFile(path.join(target, 'who'), 'utf8');
  await placeFolder(path.join(root, 'first'), target);
  await placeFolder(path.join(root, 'second'), target);
  expect(await who()).toBe('first');
  await placeFolder(path.join(root, 'third'), target, { replace: true });
  expect(await who()).toBe('third');
  expect(await fs.readdir(root)).toEqual(['target']);
});

test('a copy replaces the old file and leaves nothing beside it', async () => {
  await write('new', 'new');
  await write('out/module', 'old');
  await copyAtomic(path.join(root, 'new'), path.join(root, 'out', 'module'));
  expect(await fs.readFile(path.join(root, 'out', 'module'), 'utf8')).toBe('new');
  expect(await fs.readdir(path.join(root, 'out'))).toEqual(['module']);
});

test('a stamp that was cut short reads as none', async () => {
  await write('stamp.json', '{"key": "ab');
  expect(await readJson(path.join(root, 'stamp.json'))).toBeNull();
});

test.skipIf(process.platform === 'win32')('the cache is where the platform keeps caches', () => {
  expect(cacheDir({ PILOTLIGHT_CACHE_DIR: '/c' }, 'linux')).toBe('/c');
  expect(cacheDir({ XDG_CACHE_HOME: '/x' }, 'linux')).toBe('/x/pilotlight');
  expect(cacheDir({ XDG_CACHE_HOME: 'relative' }, 'linux')).toBe(
    path.join(os.homedir(), '.cache', 'pilotlight'),
  );
  expect(cacheDir({}, 'darwin')).toBe(path.join(os.homedir(), 'Library', 'Caches', 'pilotlight'));
});
