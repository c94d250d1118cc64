import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ModelSettings } from '../../protocol/settings.js';
import { ApiError } from '../api/error.js';
import { testFit } from '../discover/test-variant.js';
import { EstimateStore, TYPING_MS } from './estimate-store.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function estimates() {
  const asked: ModelSettings[] = [];
  const store = new EstimateStore(async (settings) => {
    asked.push(settings);
    if (settings.context_length === 1) throw new ApiError('refused', 'It cannot be read.', 400);
    return testFit('fits', settings.context_length ?? 0);
  });
  return { asked, store };
}

it('asks at once, and then after each pause', async () => {
  const { asked, store } = estimates();
  store.ask({});
  await vi.advanceTimersByTimeAsync(0);
  expect(asked).toEqual([{}]);
  expect(store.snapshot()).toMatchObject({ checking: false, failure: null });

  store.ask({ context_length: 40 });
  await vi.advanceTimersByTimeAsync(TYPING_MS - 1);
  store.ask({ context_length: 4096 });
  expect(store.snapshot()).toMatchObject({ checking: true, fit: { context_length: 0 } });
  await vi.advanceTimersByTimeAsync(TYPING_MS);
  expect(asked).toEqual([{}, { context_length: 4096 }]);
  expect(store.snapshot()).toMatchObject({ checking: false, fit: { context_length: 4096 } });
});

it('asks nothing about settings that are the same', async () => {
  const { asked, store } = estimates();
  store.ask({ parallel: 2 });
  store.ask({ parallel: 2 });
  await vi.advanceTimersByTimeAsync(TYPING_MS);
  expect(asked).toHaveLength(1);
});

it('keeps the last estimate where the next one fails', async () => {
  const { store } = estimates();
  store.ask({ context_length: 8 });
  await vi.advanceTimersByTimeAsync(0);
  store.ask({ context_length: 1 });
  await vi.advanceTimersByTimeAsync(TYPING_MS);
  expect(store.snapshot()).toMatchObject({
    ...{ checking: false, failure: 'It cannot be read.', fit: { context_length: 8 } },
  });
});

it('asks nothing more once it is stopped', async () => {
  const { asked, store } = estimates();
  store.ask({});
  store.stop();
  await vi.advanceTimersByTimeAsync(TYPING_MS);
  expect(asked).toEqual([]);
  store.ask({});
  await vi.advanceTimersByTimeAsync(0);
  expect(asked).toEqual([{}]);
});
