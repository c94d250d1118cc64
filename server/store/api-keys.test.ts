import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ApiKeys, type ApiKeysOptions } from './api-keys.js';
import { addKey, keyFileOf, removeKey } from './key-file.js';
import { ensureOwnerKey, ownerKeyFileOf } from './owner-key.js';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'api-keys-'));
});
afterEach(() => rm(dataDir, { recursive: true }));

const open = (options: Partial<ApiKeysOptions> = {}) =>
  new ApiKeys({ dataDir, given: [], windowKey: null, always: () => false, ...options });

const clientOf = (keys: ApiKeys, key: string) => keys.holderOf([key])?.client ?? null;

it('follows each change of the file at once', async () => {
  const keys = open();
  expect(keys.needed).toBe(false);
  const made = [];
  for (const name of ['a', 'b', 'c']) {
    made.push(await addKey(dataDir, name));
    expect(clientOf(keys, made.at(-1) ?? '')).toBe(name);
    expect(keys.needed).toBe(true);
  }
  await removeKey(dataDir, 'b');
  expect(made.map((key) => clientOf(keys, key))).toEqual(['a', null, 'c']);
  await rm(keyFileOf(dataDir));
  expect(keys.holderOf(made)).toBeNull();
  expect(keys.needed).toBe(false);
});

it('asks for keys for ever where more than this machine can reach it', async () => {
  const key = await addKey(dataDir, 'a');
  const keys = open({ always: () => true });
  expect([keys.some, clientOf(keys, key)]).toEqual([true, 'a']);
  await removeKey(dataDir, 'a');
  expect([keys.some, keys.needed, clientOf(keys, key)]).toEqual([false, true, null]);
});

it('opens nothing to anybody by a damaged file, says so, and recovers', async () => {
  const key = await addKey(dataDir, 'a');
  const onChange = vi.fn();
  const keys = open({ given: ['given'], windowKey: 'w', onChange });
  await writeFile(keyFileOf(dataDir), '{');
  expect(['given', 'w', key].map((each) => clientOf(keys, each))).toEqual([
    'api-key',
    'window',
    null,
  ]);
  expect(keys.needed).toBe(true);
  expect(keys.notices()).toEqual([expect.stringContaining('are damaged')]);
  expect(onChange).toHaveBeenCalledTimes(1);
  await rm(keyFileOf(dataDir));
  const again = await addKey(dataDir, 'a');
  expect(clientOf(keys, again)).toBe('a');
  expect(keys.notices()).toEqual([]);
  expect(onChange).toHaveBeenCalledTimes(2);
});

it('needs none for the sake of the window', () => {
  const keys = open({ windowKey: 'w' });
  expect([keys.some, keys.needed, clientOf(keys, 'w')]).toEqual([false, false, 'window']);
});

it("knows the person's own keys from those of clients, whatever these are called", async () => {
  const keys = open({ given: ['given'], windowKey: 'w' });
  const owner = await ensureOwnerKey(dataDir);
  const client = await addKey(dataDir, 'a');
  await writeFile(
    keyFileOf(dataDir),
    (await readFile(keyFileOf(dataDir), 'utf8')).replace('"a"', '"owner"'),
  );
  expect([owner, 'w', client, 'given'].map((key) => keys.holderOf([key]))).toEqual([
    { client: 'owner', isOwner: true },
    { client: 'window', isOwner: true },
    { client: 'owner', isOwner: false },
    { client: 'api-key', isOwner: false },
  ]);
});

it("follows each change of the inspector's key, and needs none for its sake", async () => {
  const keys = open();
  const first = await ensureOwnerKey(dataDir);
  expect([keys.needed, clientOf(keys, first)]).toEqual([false, 'owner']);
  const second = await ensureOwnerKey(dataDir, true);
  expect([first, second].map((key) => clientOf(keys, key))).toEqual([null, 'owner']);
  await writeFile(ownerKeyFileOf(dataDir), 'x');
  expect([second, 'x', ''].map((key) => clientOf(keys, key))).toEqual([null, null, null]);
  await rm(ownerKeyFileOf(dataDir));
  expect([second, ''].map((key) => clientOf(keys, key))).toEqual([null, null]);
  const third = await ensureOwnerKey(dataDir);
  expect(clientOf(keys, third)).toBe('owner');
});
