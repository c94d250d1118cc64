// How models come into memory and leave it: real engine processes, time and memory as the tests say.
import { describe, expect, test } from 'vitest';
import type { EngineEvent } from '../../protocol/engine.js';
import type { Generation } from '../generation/generation.js';
import { chatPrompt, greedy } from '../generation/test-generation.js';
import { TestClock } from '../test-clock.js';
import type { EnginePool } from './pool.js';
import type { PoolLimits } from './rules.js';
import type { EngineProcess } from './spawn.js';
import { LOAD, testPools } from './test-pool.js';

const { start, model } = testPools();

const SCRIPTED = 'scripted';
const LONG = 'scripted-long';
const never = () => new AbortController().signal;
const input = (maxTokens: number | null) => greedy(chatPrompt('Hello'), maxTokens);
const ask = (pool: EnginePool, id: 'scripted' | 'scripted-long', maxTokens: number | null = 3) =>
  pool.generate(model(id), input(maxTokens), never());
const isLoaded = (pool: EnginePool, id: 'scripted' | 'scripted-long' | 'random') =>
  pool.status(model(id)).status === 'loaded';

async function lastOf(generation: Generation): Promise<EngineEvent | undefined> {
  await generation.accepted;
  let last: EngineEvent | undefined;
  for await (const batch of generation.events) last = batch.at(-1);
  return last;
}

/** A stream that runs until it is cancelled. */
async function running(pool: EnginePool, id: 'scripted' | 'scripted-long' = LONG) {
  const client = new AbortController();
  const generation = pool.generate(model(id), input(null), client.signal);
  await generation.accepted;
  return {
    end: async () => {
      client.abort();
      expect(await lastOf(generation)).toMatchObject({ finishReason: 'cancelled' });
    },
  };
}

/** Room for one of the models, whichever it is. */
const roomForOne = (pool: EnginePool) =>
  ([SCRIPTED, LONG] as const).some((id) => isLoaded(pool, id)) ? 1_100_000 : 1_000_000_000;

describe('rest', () => {
  test('a model leaves after its time without a request, and no earlier', async () => {
    const clock = new TestClock();
    const { pool, until } = start({}, undefined, { clock, rules: () => ({ ttl: 60 }) });
    const stream = await running(pool);
    clock.pass(1_000_000);
    expect(pool.expiresIn(model(LONG))).toBe(60_000);
    await stream.end();
    clock.pass(59_000);
    expect(pool.expiresIn(model(LONG))).toBe(1_000);
    await lastOf(ask(pool, LONG));
    clock.pass(59_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(isLoaded(pool, LONG)).toBe(true);
    clock.pass(1_000);
    await until(() => pool.status(model(LONG)).status === 'unloaded');
    expect(pool.expiresIn(model(LONG))).toBeNull();
  });

  test('a request says for how long until the model is unloaded', async () => {
    const { pool, until } = start();
    await lastOf(ask(pool, SCRIPTED));
    expect(pool.expiresIn(model(SCRIPTED))).toBeNull();
    pool.wish(model(SCRIPTED), { ttl: 0 });
    await until(() => pool.status(model(SCRIPTED)).status === 'unloaded');
    await lastOf(ask(pool, SCRIPTED));
    expect(pool.expiresIn(model(SCRIPTED))).toBeNull();
    expect(isLoaded(pool, SCRIPTED)).toBe(true);
  });

  test('a model that is released leaves when its last answer has ended, and is loaded again when asked', async () => {
    const { pool, processes } = start();
    const stream = await running(pool);
    const released = pool.release(model(LONG));
    // It comes after the one that runs, and after the model has left.
    const next = ask(pool, LONG);
    expect(pool.info(model(LONG))?.kind).toBe('generative');
    await stream.end();
    await released;
    expect(await lastOf(next)).toMatchObject({ type: 'done', outputTokens: 3 });
    expect(processes).toHaveLength(2);
    await pool.release(model(LONG));
    expect(pool.status(model(LONG)).status).toBe('unloaded');
    await pool.release(model(SCRIPTED));
  });

  test('a load with settings of its own is not content with one that has begun without them', async () => {
    const { pool, until } = start();
    const first = pool.load(model(SCRIPTED));
    await until(() => pool.status(model(SCRIPTED)).status === 'loading');
    await pool.load(model(SCRIPTED), null, { settings: { contextLength: 512 } });
    expect(pool.info(model(SCRIPTED))?.contextLength).toBe(512);
    await first;
  });

  test('a load that nobody waits for is given up when the model is released', async () => {
    const { pool, until } = start();
    const loading = pool.load(model('slow'));
    const ended = loading.then(
      () => 'loaded',
      ({ code }: { code: string }) => code,
    );
    await until(() => pool.status(model('slow')).status === 'loading');
    await pool.release(model('slow'));
    expect(['loaded', 'cancelled']).toContain(await ended);
    expect(pool.status(model('slow')).status).toBe('unloaded');
  });

  test('a model that has left the library leaves memory', async () => {
    const { pool, until } = start();
    await pool.load(model(SCRIPTED));
    await pool.load(model(LONG));
    pool.keepOnly(new Set([LONG]));
    await until(() => pool.status(model(SCRIPTED)).status === 'unloaded');
    expect(isLoaded(pool, LONG)).toBe(true);
  });

  test('a model whose settings have changed is loaded anew once it is idle', async () => {
    let parallel = 2;
    const { pool, until } = start({}, undefined, {
      rules: () => ({ load: { ...LOAD, parallel } }),
    });
    const stream = await running(pool);
    parallel = 3;
    pool.settingsChanged();
    expect(pool.status(model(LONG))).toMatchObject({ status: 'loaded', isStale: true });
    await stream.end();
    await until(() => pool.info(model(LONG))?.parallel === 3);
    expect(pool.status(model(LONG)).isStale).toBe(false);
  });
});

describe('room', () => {
  test('several models stay while there is room', async () => {
    const { pool } = start();
    await pool.load(model(SCRIPTED));
    await pool.load(model(LONG));
    expect([isLoaded(pool, SCRIPTED), isLoaded(pool, LONG)]).toEqual([true, true]);
  });

  test('a model whose engine finds too little memory takes the place of an idle one', async () => {
    // enough by the size of its file, and too little for its context
    const { pool, processes } = start({ parallel: 2 }, (p) =>
      isLoaded(p, SCRIPTED) ? 1_300_000 : 1_000_000_000,
    );
    await pool.load(model(SCRIPTED));
    await pool.load(model(LONG));
    expect([isLoaded(pool, SCRIPTED), isLoaded(pool, LONG)]).toEqual([false, true]);
    expect(processes).toHaveLength(3);
  });

  test('a model that does not fit alone says what it needs and what is free', async () => {
    const { pool } = start({ parallel: 2 }, () => 1_300_000);
    await expect(pool.load(model(SCRIPTED))).rejects.toMatchObject({
      code: 'out_of_memory',
      message: expect.stringMatching(/^The model needs .* in all; 1 MB are free\. Choose /),
    });
    expect(pool.status(model(SCRIPTED)).status).toBe('failed');
  });

  test('the budget holds for all models together, and the least recently used one leaves', async () => {
    const limits: PoolLimits = { budgetBytes: null, waitMs: 300_000 };
    const { pool, until } = start({}, undefined, { limits });
    await pool.load(model(SCRIPTED));
    await pool.load(model(LONG));
    await lastOf(ask(pool, SCRIPTED));
    const { used } = pool.memory();
    limits.budgetBytes = used + 1;
    expect(pool.memory()).toEqual({ used, budget: used + 1 });
    await pool.load(model('random'));
    expect(isLoaded(pool, 'random')).toBe(true);
    expect(isLoaded(pool, LONG)).toBe(false);
    expect(pool.memory().used).toBeLessThanOrEqual(used + 1);
    await until(() => pool.status(model(LONG)).status === 'unloaded');
  });

  test('the budget holds for models that are asked for at the same time', async () => {
    const limits: PoolLimits = { budgetBytes: null, waitMs: 300_000 };
    const { pool, until } = start({}, undefined, { limits });
    await pool.load(model('random'));
    limits.budgetBytes = Math.ceil(pool.memory().used * 1.2);
    await pool.release(model('random'));
    let most = 0;
    let isOver = false;
    const watched = until(() => {
      most = Math.max(most, pool.memory().used);
      return isOver;
    });
    const ids = ['random', 'scripted', 'scripted-long', 'toolcall'] as const;
    const ends = await Promise.all(
      ids.map((id) => lastOf(pool.generate(model(id), input(3), never()))),
    );
    for (const end of ends) expect(end).toMatchObject({ type: 'done' });
    isOver = true;
    pool.settingsChanged();
    await watched;
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(limits.budgetBytes);
  });

  test('a model that can never fit drives nobody out once its engine has measured it', async () => {
    const measured: number[] = [];
    const free = (p: EnginePool) => (isLoaded(p, SCRIPTED) ? 1_300_000 : 1e9);
    const { pool, processes } = start({ parallel: 2 }, free, {
      measure: async ({ memoryBytes }) => {
        measured.push(memoryBytes);
        return { needed: { host: 1e12, all: 1e12 }, isWholeOnGpu: false };
      },
    });
    await pool.load(model(SCRIPTED));
    await expect(pool.load(model(LONG))).rejects.toMatchObject({
      code: 'out_of_memory',
      message: expect.stringMatching(/^The model needs /),
    });
    expect(measured).toEqual([1_300_000]);
    expect(isLoaded(pool, SCRIPTED)).toBe(true);
    expect(processes).toHaveLength(2);
  });

  test('idle models leave a graphics card on which the next one would not be whole', async () => {
    // This machine may have none: its engines say that they have a part there.
    const wrap = (engine: EngineProcess): EngineProcess => ({
      ...engine,
      onMessage: (listener) =>
        engine.onMessage((message) => {
          if (message.type === 'loaded') {
            const card = {
              name: 'GPU',
              weightsBytes: 1,
              kvBytes: 1,
              computeBytes: 1,
              isRemote: false,
            };
            message.info.memory.push(card);
          }
          listener(message);
        }),
    });
    const there = () => [SCRIPTED, LONG].filter((id) => isLoaded(pool, id as typeof LONG));
    const { pool } = start({}, undefined, {
      wrap,
      measure: async () => ({
        needed: { host: 1, all: 1 },
        isWholeOnGpu: there().length < 2,
      }),
    });
    await pool.load(model(SCRIPTED));
    await pool.load(model(LONG));
    expect(there()).toEqual([SCRIPTED, LONG]);
    await pool.load(model('random'));
    expect(there()).toEqual([LONG]);
  });

  test('a smaller budget holds at once for who is idle', async () => {
    const limits: PoolLimits = { budgetBytes: null, waitMs: 300_000 };
    const { pool, until } = start({}, undefined, { limits });
    const stream = await running(pool);
    await pool.load(model(SCRIPTED));
    limits.budgetBytes = 1;
    pool.settingsChanged();
    await until(() => pool.status(model(SCRIPTED)).status === 'unloaded');
    expect(isLoaded(pool, LONG)).toBe(true);
    await stream.end();
    await until(() => pool.status(model(LONG)).status === 'unloaded');
  });

  test('a pinned model stays, and who cannot have its place is told so', async () => {
    const { pool } = start({ parallel: 2 }, (p) => (isLoaded(p, SCRIPTED) ? 1_300_000 : 1e9), {
      rules: (id) => ({ isPinned: id === SCRIPTED }),
    });
    await pool.load(model(SCRIPTED));
    expect(pool.status(model(SCRIPTED)).isPinned).toBe(true);
    await expect(pool.load(model(LONG))).rejects.toMatchObject({ code: 'out_of_memory' });
    expect(isLoaded(pool, SCRIPTED)).toBe(true);
  });

  test('who waits for memory is told so, and gets it when the answers before have ended', async () => {
    const { pool, until } = start({ parallel: 2 }, roomForOne, { turnMs: 0 });
    const stream = await running(pool);
    const waiting = ask(pool, SCRIPTED);
    await until(() => waiting.progress()?.stage === 'memory');
    expect(pool.status(model(SCRIPTED))).toMatchObject({
      status: 'loading',
      waiting: 1,
      reason: expect.stringContaining('memory'),
    });
    // It comes after the one that waits.
    const late = ask(pool, LONG);
    await until(() => late.progress()?.stage === 'memory');
    await stream.end();
    expect(await lastOf(waiting)).toMatchObject({ type: 'done', outputTokens: 3 });
    expect(await lastOf(late)).toMatchObject({ type: 'done', outputTokens: 3 });
  });

  test('a load that waits for memory is given up when the model is released', async () => {
    const { pool, until } = start({ parallel: 2 }, roomForOne, { turnMs: 0 });
    const stream = await running(pool);
    const loading = pool.load(model(SCRIPTED));
    const ended = expect(loading).rejects.toMatchObject({ code: 'cancelled' });
    await until(() => pool.status(model(SCRIPTED)).reason !== null);
    await pool.release(model(SCRIPTED));
    await ended;
    expect(pool.status(model(SCRIPTED))).toMatchObject({ status: 'unloaded', reason: null });
    expect(isLoaded(pool, LONG)).toBe(true);
    await stream.end();
  });

  test('a model goes on as long as it has its turn', async () => {
    const clock = new TestClock();
    const { pool, until } = start({ parallel: 2 }, roomForOne, { clock, turnMs: 5_000 });
    const stream = await running(pool);
    const waiting = ask(pool, SCRIPTED);
    await until(() => waiting.progress()?.stage === 'memory');
    expect(await lastOf(ask(pool, LONG))).toMatchObject({ type: 'done', outputTokens: 3 });
    clock.pass(5_000);
    const late = ask(pool, LONG);
    await until(() => late.progress()?.stage === 'memory');
    await stream.end();
    expect(await lastOf(waiting)).toMatchObject({ type: 'done' });
    // Nobody else asks for the other one, so that it is idle.
    expect(await lastOf(late)).toMatchObject({ type: 'done' });
  });

  test('who waits for memory too long is sent away, and the others go on', async () => {
    const clock = new TestClock();
    const limits = { budgetBytes: null, waitMs: 30_000 };
    const { pool, until } = start({ parallel: 2 }, roomForOne, { clock, limits, turnMs: 0 });
    const stream = await running(pool);
    const waiting = ask(pool, SCRIPTED);
    await until(() => waiting.progress()?.stage === 'memory');
    const embedding = pool.call(
      model(SCRIPTED),
      'tokenize',
      { text: 'a', addSpecial: false, parseSpecial: false, withPieces: false },
      never(),
    );
    const late = ask(pool, LONG);
    await until(() => late.progress()?.stage === 'memory');
    clock.pass(30_000);
    const busy = { code: 'memory_busy', retryAfter: expect.any(Number) };
    await expect(waiting.accepted).rejects.toMatchObject(busy);
    await expect(embedding).rejects.toMatchObject(busy);
    // Its own model holds the memory, so it does not wait for others any more.
    const again = ask(pool, LONG);
    expect(await lastOf(again)).toMatchObject({ type: 'done' });
    await stream.end();
    await late.accepted.catch(() => {});
    expect(pool.status(model(SCRIPTED)).status).toBe('unloaded');
  });

  test('two models that do not fit together answer everybody who asks for either all the time', async () => {
    const { pool } = start({ parallel: 2 }, roomForOne, { turnMs: 20 });
    const clients = [SCRIPTED, LONG, SCRIPTED, LONG] as const;
    const answers = await Promise.all(
      clients.map(async (id) => {
        const ends: unknown[] = [];
        for (let i = 0; i < 6; i++) ends.push(await lastOf(ask(pool, id, 5)));
        return ends;
      }),
    );
    for (const end of answers.flat()) expect(end).toMatchObject({ type: 'done', outputTokens: 5 });
  });

  test('a client that leaves while it waits for memory lets the others go on', async () => {
    const { pool, until } = start({ parallel: 2 }, roomForOne, { turnMs: 0 });
    const stream = await running(pool);
    const client = new AbortController();
    const waiting = pool.generate(model(SCRIPTED), input(3), client.signal);
    await until(() => waiting.progress()?.stage === 'memory');
    client.abort();
    await expect(waiting.accepted).rejects.toMatchObject({ code: 'cancelled' });
    await until(() => pool.status(model(SCRIPTED)).status === 'unloaded');
    expect(await lastOf(ask(pool, LONG))).toMatchObject({ type: 'done' });
    await stream.end();
  });

  test('closing ends those who wait for memory', async () => {
    const { pool, until } = start({ parallel: 2 }, roomForOne, { turnMs: 0 });
    await running(pool);
    const waiting = ask(pool, SCRIPTED);
    await until(() => waiting.progress()?.stage === 'memory');
    await pool.close();
    await expect(waiting.accepted).rejects.toMatchObject({ code: 'shutting_down' });
  });
});
