// Loads that are given up, and files that change under a loaded model: real engine processes over real models.
import { copyFile, mkdtemp, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EngineToServer } from '../../protocol/engine-channel.js';
import type { LoadOptions } from '../../protocol/engine-load.js';
import { ensureTestModels } from '../../scripts/test-models/test-models.js';
import { GenerationStream } from '../generation/stream.js';
import { greedy } from '../generation/test-generation.js';
import { Engine } from './engine.js';
import { spawnChildProcess } from './spawn.js';
import { ENGINE_ENTRY, LOAD } from './test-pool.js';

const spawn = spawnChildProcess(ENGINE_ENTRY);

let models: Awaited<ReturnType<typeof ensureTestModels>>;
let folder: string;

beforeAll(async () => {
  models = await ensureTestModels('out/test-models');
  folder = await mkdtemp(path.join(tmpdir(), 'pilotlight-load-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function options(modelPath: string): LoadOptions {
  return {
    path: modelPath,
    ...LOAD,
    parallel: 2,
    memoryBytes: 0,
    queueMax: 8,
    prefixStoreBytes: 0,
    projectorPath: '',
  };
}

const INPUT = greedy({ kind: 'text', text: 'Hello' }, 4);

function run(engine: Engine): GenerationStream {
  const stream = new GenerationStream();
  engine.run(INPUT, new AbortController().signal, stream);
  return stream;
}

/** The last event of a generation. */
async function end(stream: GenerationStream): Promise<unknown> {
  let last: unknown;
  for await (const events of stream.events) last = events.at(-1);
  return last;
}

test('a load that is cancelled rejects with cancelled, and its process ends in order', async () => {
  const engine = new Engine(spawn, options(models.slow), () => {});
  engine.cancelLoad();
  await expect(engine.loaded).rejects.toMatchObject({ code: 'cancelled' });
  expect(await engine.gone).toMatchObject({ code: 0, signal: null });
  expect(engine.crashed).toBe(false);
});

test('a load that is cancelled before it begins is not begun', async () => {
  const child = spawn();
  const told: EngineToServer[] = [];
  const failed = new Promise<void>((resolve) => {
    child.onMessage((message) => {
      told.push(message);
      if (message.type === 'load-failed') resolve();
    });
  });
  const gone = new Promise<void>((resolve) => child.onExit(() => resolve()));
  child.send({ type: 'cancel-load' });
  child.send({ type: 'load', backends: [], options: options(models.slow) });
  await failed;
  expect(told.at(-1)).toMatchObject({ type: 'load-failed', code: 'cancelled' });
  child.send({ type: 'unload' });
  await gone;
});

test('a cancel after the load has no effect', async () => {
  const engine = new Engine(spawn, options(models.scripted), () => {});
  await engine.loaded;
  engine.cancelLoad();
  expect(await end(run(engine))).toMatchObject({ type: 'done', outputTokens: 4 });
  await engine.unload();
});

test('the types of the KV cache and flash attention are as asked', async () => {
  const engine = new Engine(
    spawn,
    { ...options(models.slow), kvTypeK: 'q8_0', kvTypeV: 'q4_0', flashAttention: 'on' },
    () => {},
  );
  expect(await engine.loaded).toMatchObject({
    kvTypeK: 'q8_0',
    kvTypeV: 'q4_0',
    flashAttention: true,
  });
  await engine.unload();
});

test('one KV cache for all requests has the cells of all of them', async () => {
  const engine = new Engine(spawn, { ...options(models.slow), unifiedKv: 'on' }, () => {});
  expect(await engine.loaded).toMatchObject({
    unifiedKv: true,
    contextLength: 2048,
    kvCells: 4096,
    memory: [{ name: 'CPU', kvBytes: expect.any(Number) }],
  });
  expect(await end(run(engine))).toMatchObject({ type: 'done', outputTokens: 4 });
  await engine.unload();
});

test('options that cannot work together are refused in words', async () => {
  const engine = new Engine(
    spawn,
    { ...options(models.slow), kvTypeV: 'q8_0', flashAttention: 'off' },
    () => {},
  );
  await expect(engine.loaded).rejects.toMatchObject({
    code: 'invalid_options',
    message: expect.stringMatching(/needs flash attention/),
  });
  await engine.gone;
});

// Windows does not let anyone cut a file that is mapped.
test.skipIf(process.platform === 'win32')(
  'a file that shrinks under its model ends the engine with the reason',
  async () => {
    const file = path.join(folder, 'shrinks.gguf');
    await copyFile(models.slow, file);
    const engine = new Engine(spawn, options(file), () => {});
    await engine.loaded;
    await truncate(file, 4096);
    // It is accepted before its batch is computed, and so may have been when the engine ends.
    const stream = run(engine);
    const failure = await stream.accepted.then(
      () => end(stream),
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({
      code: 'engine_crashed',
      message: expect.stringMatching(/file .*became shorter/),
    });
    await engine.gone;
  },
);
