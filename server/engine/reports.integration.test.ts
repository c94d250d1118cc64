import { describe, expect, test } from 'vitest';
import type { Generation } from '../generation/generation.js';
import { chatPrompt, greedy } from '../generation/test-generation.js';
import { testPools } from './test-pool.js';

const { start, model } = testPools();

const input = (maxTokens: number | null) => greedy(chatPrompt('Hello'), maxTokens);
const never = () => new AbortController().signal;

async function end(generation: Generation): Promise<void> {
  await generation.accepted;
  for await (const _ of generation.events);
}

describe('a report', () => {
  test('tells what an engine has computed and what its cache holds', async () => {
    const { pool } = start();
    expect((await pool.reports(never())).size).toBe(0);
    await end(pool.generate(model('scripted'), input(10), never()));
    const reports = await pool.reports(never());
    expect([...reports.keys()]).toEqual(['scripted']);
    const report = reports.get('scripted');
    expect(report).toMatchObject({ running: 0, waiting: 0, slots: 4, kvCellsBusy: 0 });
    expect(report?.steps).toBeGreaterThanOrEqual(10);
    expect(report?.prefillTokens).toBeGreaterThan(0);
    expect(report?.kvCellsUsed).toBeGreaterThanOrEqual((report?.prefillTokens ?? 0) + 9);
    expect(report?.residentBytes).toBeGreaterThan(10_000_000);
    expect(report?.cpuSeconds).toBeGreaterThan(0);
  });

  test('of a running engine and of one that makes vectors comes at once', async () => {
    const { pool } = start({ contextLength: 0, parallel: 2 });
    const client = new AbortController();
    const long = pool.generate(model('scripted-long'), input(null), client.signal);
    await long.accepted;
    const request = { inputs: ['the stairs', 'the rain'], truncate: false };
    await pool.call(model('embed'), 'embed', request, never());
    const reports = await pool.reports(never());
    expect(reports.get('scripted-long')).toMatchObject({ running: 1, waiting: 0, slots: 2 });
    expect(reports.get('embed')).toMatchObject({ running: 0, steps: 1, slots: 1, kvCellsUsed: 0 });
    client.abort();
    await end(long);
  });

  test('is not waited for longer than asked, and is there again once the engine answers', async () => {
    const { pool, processes } = start();
    await pool.load(model('scripted'));
    await pool.load(model('random'));
    const pid = processes[0]?.pid ?? 0;
    process.kill(pid, 'SIGSTOP');
    try {
      const limit = new AbortController();
      const reports = pool.reports(limit.signal);
      // What the other one says has come before the limit.
      await pool.call(model('random'), 'detokenize', { tokenIds: [] }, never());
      limit.abort();
      expect([...(await reports).keys()]).toEqual(['random']);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    expect([...(await pool.reports(never())).keys()]).toEqual(['scripted', 'random']);
  });
});

describe('the use of a model', () => {
  test('counts who runs and who waits, of each model', async () => {
    const { pool, until } = start({ parallel: 1 });
    expect(pool.uses()).toEqual([]);
    const client = new AbortController();
    const running = pool.generate(model('scripted-long'), input(null), client.signal);
    const waiting = pool.generate(model('scripted-long'), input(null), client.signal);
    expect(pool.uses()).toEqual([
      { modelId: 'scripted-long', info: null, running: 0, waiting: 2, loads: 0, crashes: 0 },
    ]);
    await Promise.all([running.accepted, waiting.accepted]);
    await until(() => pool.counts().running === 1);
    const other = pool.generate(model('scripted'), input(1), never());
    expect(pool.uses()).toMatchObject([
      { modelId: 'scripted-long', info: { parallel: 1 }, running: 1, waiting: 1, loads: 1 },
      { modelId: 'scripted', info: null, running: 0, waiting: 1, loads: 0 },
    ]);
    client.abort();
    await Promise.all([end(running), end(waiting), end(other)]);
    expect(pool.uses()).toMatchObject([
      { modelId: 'scripted-long', running: 0, waiting: 0 },
      { modelId: 'scripted', running: 0, waiting: 0, loads: 1 },
    ]);
  });

  test('counts calls, and how often its engine was loaded and lost', async () => {
    const { pool, processes, until } = start({ contextLength: 0, parallel: 2 });
    const client = new AbortController();
    const inputs = new Array<string>(20_000).fill('the weather '.repeat(200));
    const call = pool.call(model('embed'), 'embed', { inputs, truncate: false }, client.signal);
    call.catch(() => {});
    expect(pool.uses()).toMatchObject([{ running: 0, waiting: 1 }]);
    await until(() => pool.uses()[0]?.running === 1);
    expect(pool.uses()).toMatchObject([{ running: 1, waiting: 0, loads: 1, crashes: 0 }]);
    process.kill(processes[0]?.pid ?? 0, 'SIGKILL');
    await expect(call).rejects.toMatchObject({ code: 'engine_crashed' });
    await until(() => pool.status(model('embed')).status === 'crashed');
    expect(pool.uses()).toMatchObject([
      { info: null, running: 0, waiting: 0, loads: 1, crashes: 1 },
    ]);
    await pool.load(model('embed'));
    expect(pool.uses()).toMatchObject([{ loads: 2, crashes: 1 }]);
  });
});
