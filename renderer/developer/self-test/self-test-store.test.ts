import { expect, it } from 'vitest';
import type { SelfTestEvent } from '../../../protocol/self-test.js';
import { ApiError } from '../../api/error.js';
import { SelfTestStore } from './self-test-store.js';

const passed: SelfTestEvent = {
  ...{ type: 'result', test: 'health', status: 'passed', ms: 3, detail: null },
};

it('tells a run as it goes', async () => {
  const seen: unknown[] = [];
  const store = new SelfTestStore(async function* () {
    yield { type: 'begin', url: 'http://127.0.0.1:1', model: 'guide' };
    yield { type: 'running', test: 'health' };
    yield passed;
    yield { type: 'end', passed: 1, failed: 0, skipped: 0 };
  });
  store.subscribe(() => seen.push(store.snapshot().test));
  await store.start();
  expect(seen).toContain('health');
  expect(store.snapshot()).toMatchObject({
    ...{ status: 'ended', model: 'guide', test: null, failure: null },
    results: { health: { status: 'passed' } },
  });
});

it('is stopped, and keeps what it has found', async () => {
  const store = new SelfTestStore(async function* (signal) {
    yield passed;
    store.stop();
    signal.throwIfAborted();
  });
  await store.start();
  expect(store.snapshot()).toMatchObject({ status: 'stopped', results: { health: { ms: 3 } } });
});

it('says why it cannot be run', async () => {
  // biome-ignore lint/correctness/useYield: a stream that is refused has no event.
  const store = new SelfTestStore(async function* () {
    throw new ApiError('refused', 'Not from here.');
  });
  await store.start();
  expect(store.snapshot()).toMatchObject({ status: 'failed', failure: 'Not from here.' });
});
