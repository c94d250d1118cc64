import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ApiKeys, type ApiKeysOptions } from './api-keys.js';
import { addKey, keyFileOf, removeKey } from './key-file.js';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'api-keys-'));
});
afterEach(() => rm(dataDir, { recursive: true }));

const open = (options: Partial<ApiKeysOptions> = {}) =>
  new ApiKeys({ dataDir, given: [], windowKey: null, always: false, ...options });

it('follows each change of the file at once', async () => {
  const keys = open();
  expect(keys.needed).toBe(false);
  const made = [];
  for (const name of ['a', 'b', 'c']) {
    made.push(await addKey(dataDir, name));
    expect(keys.clientOf([made.at(-1) ?? ''])).toBe(name);
    expect(keys.needed).toBe(true);
  }
  await removeKey(dataDir, 'b');
  expect(made.map((key) => keys.clientOf([key]))).toEqual(['a', null, 'c']);
  await rm(keyFileOf(dataDir));
  expect(keys.clientOf(made)).toBeNull();
  expect(keys.needed).toBe(false);
});

it('asks for keys for ever where more than this machine can reach it', async () => {
  const key = await addKey(dataDir, 'a');
  const keys = open({ always: true });
  expect([keys.some, keys.clientOf([key])]).toEqual([true, 'a']);
  await removeKey(dataDir, 'a');
  expect([keys.some, keys.needed, keys.clientOf([key])]).toEqual([false, true, null]);
});

it('opens nothing to anybody by a damaged file, says so, and recovers', async () => {
  const key = await addKey(dataDir, 'a');
  const onChange = vi.fn();
  const keys = open({ given: ['given'], windowKey: 'w', onChange });
  await writeFile(keyFileOf(dataDir), '{');
  expect(['given', 'w', key].map((each) => keys.clientOf([each]))).toEqual([
    'api-key',
    'window',
    null,
  ]);
  expect(keys.needed).toBe(true);
  expect(keys.notices()).toEqual([expect.stringContaining('are damaged')]);
  expect(onChange).toHaveBeenCalledTimes(1);
  await rm(keyFileOf(dataDir));
  const again = await addKey(dataDir, 'a');
  expect(keys.clientOf([again])).toBe('a');
  expect(keys.notices()).toEqual([]);
  expect(onChange).toHaveBeenCalledTimes(2);
});

it('needs none for the sake of the window', () => {
  const keys = open({ windowKey: 'w' });
  expect([keys.some, keys.needed, keys.clientOf(['w'])]).toEqual([false, false, 'window']);
});
