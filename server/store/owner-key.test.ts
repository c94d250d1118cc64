import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ensureOwnerKey, ownerKeyFileOf, readOwnerKey } from './owner-key.js';

let dataDir: string;
beforeEach(async () => {
  dataDir = path.join(await mkdtemp(path.join(os.tmpdir(), 'owner-key-')), 'tést 模型');
});
afterEach(() => rm(path.dirname(dataDir), { recursive: true }));

it('is made once, and shown again', async () => {
  expect(readOwnerKey(dataDir)).toBeNull();
  const key = await ensureOwnerKey(dataDir);
  expect(key).toMatch(/^pl-inspector-[\w-]{43}$/);
  expect(await ensureOwnerKey(dataDir)).toBe(key);
  expect(readOwnerKey(dataDir)).toBe(key);
});

it('is one, however many ask for it at the same time', async () => {
  const keys = await Promise.all(Array.from({ length: 8 }, () => ensureOwnerKey(dataDir)));
  expect(new Set(keys).size).toBe(1);
});

it.runIf(process.platform !== 'win32')('is for its owner only', async () => {
  await ensureOwnerKey(dataDir);
  expect((await stat(ownerKeyFileOf(dataDir))).mode & 0o777).toBe(0o600);
  expect(await readdir(dataDir)).toEqual(['inspector.key']);
});

it('is never made of what is damaged, but anew where that is wished', async () => {
  const first = await ensureOwnerKey(dataDir);
  await writeFile(ownerKeyFileOf(dataDir), 'pl-inspector-short');
  await expect(ensureOwnerKey(dataDir)).rejects.toThrow('is damaged: delete the file.');
  expect(await readdir(dataDir)).toEqual(['inspector.key']);
  expect(await ensureOwnerKey(dataDir, true)).not.toBe(first);
});
