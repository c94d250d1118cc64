import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { findModules, moduleName } from './modules.js';

test.each([
  ['libggml-vulkan.so', 'vulkan'],
  ['libggml-cpu.so', 'cpu'],
  ['libggml-cpu-haswell.so', 'cpu-haswell'],
  ['libggml-cpu-armv8.2_1.so', 'cpu-armv8.2_1'],
  ['ggml-cuda.dll', 'cuda'],
  ['libggml-base.so', null],
  ['ggml-base.dll', null],
  ['libggml.so', null],
  ['libggml-base.dylib', null],
  ['engine.node', null],
  ['libggml-cpu-haswell.so.bak', null],
])('%s is the module %s', (file, name) => {
  expect(moduleName(file)).toBe(name);
});

test('finds GPU modules in order of preference, and none in a folder that is not there', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'modules-'));
  try {
    const names = ['libggml-vulkan.so', 'libggml-cpu-x64.so', 'libggml-cuda.so', 'libggml-base.so'];
    for (const name of names) await writeFile(path.join(folder, name), '');
    const found = await findModules(folder);
    expect(found.map(({ name }) => name)).toEqual(['cuda', 'vulkan', 'cpu-x64']);
    expect(found.map(({ isCpu }) => isCpu)).toEqual([false, false, true]);
    expect(found[0]?.file).toBe(path.join(folder, 'libggml-cuda.so'));
    expect(await findModules(path.join(folder, 'nowhere'))).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
