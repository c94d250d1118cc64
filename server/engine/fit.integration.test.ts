// Estimates by real engine processes over real models, against what their loads then take.
import { copyFile, mkdtemp, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LoadOptions, MemoryEstimate } from '../../protocol/engine-load.js';
import { ensureTestModels } from '../../scripts/test-models/test-models.js';
import { Engine } from './engine.js';
import { FitEstimator, toFit } from './fit.js';
import { memoryOf } from './pool-entry.js';
import { type EngineProcess, spawnChildProcess } from './spawn.js';
import { ENGINE_ENTRY, LOAD } from './test-pool.js';

const GIB = 1024 ** 3;
const ANY = { contextLength: null, parallel: null };

let models: Awaited<ReturnType<typeof ensureTestModels>>;
let folder: string;
const started: EngineProcess[] = [];
const spawnChild = spawnChildProcess(ENGINE_ENTRY);
const spawn = () => {
  const child = spawnChild();
  started.push(child);
  return child;
};
const estimator = new FitEstimator({ spawn, backends: async () => [] });

beforeAll(async () => {
  models = await ensureTestModels('out/test-models');
  folder = await mkdtemp(path.join(tmpdir(), 'pilotlight-fit-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function options(file: string, changes: Partial<LoadOptions> = {}): LoadOptions {
  return {
    ...LOAD,
    path: file,
    memoryBytes: 8 * GIB,
    queueMax: 8,
    prefixStoreBytes: 0,
    projectorPath: '',
    ...changes,
  };
}

test('a fit is what the load then takes', async () => {
  const wanted = options(models.slow);
  const fit = await estimator.estimate(wanted, { contextLength: 2048, parallel: 4 });
  const engine = new Engine(spawn, wanted, () => {});
  const info = await engine.loaded;
  await engine.unload();
  expect(fit).toMatchObject({
    verdict: 'fits',
    reason: expect.stringMatching(
      /^It takes [\d.]+ MB with a context of 2,048 tokens for each of 4/,
    ),
    total_bytes: memoryOf(info),
    weights_bytes: info.memory[0]?.weightsBytes,
    kv_bytes: info.memory[0]?.kvBytes,
    free_bytes: 8 * GIB,
    context_length: 2048,
    parallel: 4,
    gpu_layers: 0,
    gpu_bytes: 0,
  });
});

test('less than was asked for is partly, nothing that fits is too big', async () => {
  const small = options(models.slow, {
    memoryBytes: 75_000_000,
    contextLength: 8192,
    unifiedKv: 'off',
  });
  const wish = { contextLength: 8192, parallel: 4 };
  const partly = await estimator.estimate(small, wish);
  expect(partly).toMatchObject({
    verdict: 'partly',
    reason: expect.stringMatching(/it answers \d requests? at the same time, not 4 requests\.$/),
  });
  expect(partly.parallel).toBeLessThan(4);
  expect(await estimator.estimate(small, ANY)).toMatchObject({ verdict: 'fits' });
  const none = await estimator.estimate(options(models.slow, { memoryBytes: 13_000_000 }), ANY);
  expect(none).toMatchObject({
    verdict: 'too_big',
    reason: expect.stringMatching(/needs .* in all; 13 MB are free/),
  });
});

test('estimates that wait share a process, which then ends', async () => {
  const before = started.length;
  const files = [models.slow, models.random, models['not-a-model'], models.scripted];
  const results = await Promise.allSettled(
    files.map((file) => estimator.estimate(options(file), ANY)),
  );
  expect(results.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
  expect(results[2]).toMatchObject({ reason: { code: 'not_a_gguf' } });
  expect(started).toHaveLength(before + 1);
  const [process] = started.slice(before);
  await new Promise<void>((resolve) => process?.onExit(() => resolve()));
});

test('an estimate that nobody wants any more is not made', async () => {
  const abort = new AbortController();
  const first = estimator.estimate(options(models.slow), ANY);
  const second = estimator.estimate(options(models.slow), ANY, abort.signal);
  abort.abort();
  await expect(second).rejects.toMatchObject({ code: 'cancelled' });
  expect((await first).verdict).toBe('fits');
});

test('a process that is lost costs its own estimate only', async () => {
  const killed = new FitEstimator({
    spawn: () => {
      const child = spawn();
      if (started.length === lost) child.kill();
      return child;
    },
    backends: async () => [],
  });
  const lost = started.length + 1;
  const first = killed.estimate(options(models.slow), ANY);
  const second = killed.estimate(options(models.slow), ANY);
  await expect(first).rejects.toMatchObject({ code: 'engine_crashed' });
  expect((await second).verdict).toBe('fits');
});

test('a file whose weights are not there yet is estimated by its size', async () => {
  const file = path.join(folder, 'sparse.gguf');
  await copyFile(models.slow, file);
  await truncate(file, 1_000_000);
  await expect(estimator.estimate(options(file), ANY)).rejects.toMatchObject({ code: 'truncated' });
  await truncate(file, 12_141_120);
  const whole = await estimator.estimate(options(models.slow), ANY);
  expect(await estimator.estimate(options(file), ANY)).toEqual(whole);
});

const GPU: MemoryEstimate = {
  fits: true,
  reason: null,
  contextLength: 4096,
  parallel: 2,
  gpuLayers: 20,
  unifiedKv: false,
  kvCells: 8192,
  freeBytes: 50e9,
  memory: [
    { name: 'CPU', isRemote: false, weightsBytes: 1e9, kvBytes: 2e9, computeBytes: 3e9 },
    { name: 'A GPU', isRemote: false, weightsBytes: 4e9, kvBytes: 5e9, computeBytes: 6e9 },
  ],
};

test('layers that stay on the processor make a fit partly, unless they were asked for', () => {
  expect(toFit(GPU, options('a'), ANY)).toEqual({
    verdict: 'partly',
    reason:
      'It takes 21 GB with a context of 4,096 tokens; 20 of its layers go to the GPU, the others stay on the processor.',
    weights_bytes: 5e9,
    kv_bytes: 7e9,
    compute_bytes: 9e9,
    total_bytes: 21e9,
    free_bytes: 50e9,
    context_length: 4096,
    parallel: 2,
    gpu_layers: 20,
    gpu_bytes: 15e9,
  });
  expect(toFit(GPU, options('a', { gpuLayers: 20 }), ANY).verdict).toBe('fits');
  expect(toFit({ ...GPU, gpuLayers: -1 }, options('a'), ANY)).toMatchObject({
    verdict: 'fits',
    gpu_layers: -1,
  });
  const none = toFit({ ...GPU, gpuLayers: 0 }, options('a'), ANY);
  expect([none.verdict, none.reason]).toEqual([
    'partly',
    expect.stringContaining('the GPU has too little memory'),
  ]);
});

test('layers on other machines make a fit partly, with the names of those', () => {
  const memory = GPU.memory.map((device) =>
    device.name === 'CPU' ? device : { ...device, name: 'RPC 10.0.0.2:50052', isRemote: true },
  );
  expect(toFit({ ...GPU, memory }, options('a'), ANY)).toMatchObject({
    verdict: 'partly',
    reason:
      'It takes 21 GB with a context of 4,096 tokens; 15 GB of it lie on RPC 10.0.0.2:50052, which makes it slower.',
    total_bytes: 21e9,
    gpu_bytes: 0,
  });
});
