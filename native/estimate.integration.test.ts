// The real addon: what it says a model takes, and what the model takes once it is loaded.
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { LoadOptions } from '../protocol/engine-load.js';
import { ensureTestModels } from '../scripts/test-models/test-models.js';
import { loadAddon } from './index.js';

const addon = loadAddon(path.resolve('out/native/engine.node'));

let models: Awaited<ReturnType<typeof ensureTestModels>>;

beforeAll(async () => {
  models = await ensureTestModels('out/test-models');
});

function options(modelPath: string, memoryBytes: number): LoadOptions {
  return {
    path: modelPath,
    contextLength: 0,
    parallel: 4,
    threads: 1,
    gpuLayers: -1,
    memoryBytes,
    queueMax: 8,
    targetItlMs: 0,
    prefixStoreBytes: 0,
    kvTypeK: 'q8_0',
    kvTypeV: 'f16',
    flashAttention: 'auto',
    unifiedKv: 'auto',
    rpc: 'off',
    projectorPath: '',
    draftModelPath: '',
    speculation: 'off',
  };
}

test('an estimate is what the load then takes', async () => {
  const wanted = options(models.slow, 8 * 1024 ** 3);
  const estimate = await addon.estimate(wanted);
  expect(estimate).toMatchObject({
    fits: true,
    reason: null,
    contextLength: 8192,
    parallel: 4,
    unifiedKv: false,
    kvCells: 4 * 8192,
    freeBytes: 8 * 1024 ** 3,
  });
  const engine = await addon.load(
    wanted,
    () => {},
    () => {},
    new AbortController().signal,
  );
  const { memory, contextLength, parallel } = engine.info;
  await engine.close();
  expect({ memory, contextLength, parallel }).toEqual({
    memory: estimate.memory,
    contextLength: 8192,
    parallel: 4,
  });
  expect(memory[0]).toMatchObject({ name: 'CPU' });
});

test('an estimate says what is missing, and the load refuses with the same words', async () => {
  const wanted = options(models.slow, 13_000_000);
  const estimate = await addon.estimate(wanted);
  expect(estimate).toMatchObject({
    fits: false,
    reason: expect.stringMatching(/needs .* in all; 13 MB are free/),
    contextLength: 2048,
  });
  const load = addon.load(
    wanted,
    () => {},
    () => {},
    new AbortController().signal,
  );
  await expect(load).rejects.toMatchObject({
    code: 'out_of_memory',
    message: estimate.reason,
  });
});

test('an estimate of what is no model rejects with a code', async () => {
  await expect(addon.estimate(options(models.truncated, 0))).rejects.toMatchObject({
    code: 'truncated',
  });
});
