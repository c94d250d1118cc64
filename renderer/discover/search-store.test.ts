import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { HubModel, HubModelPage } from '../../protocol/hub.js';
import { ApiError } from '../api/error.js';
import type { HubQuery } from '../api/hub.js';
import { SearchStore, TYPING_MS } from './search-store.js';

const model = (repo: string): HubModel => ({
  ...{ repo, downloads: 1, likes: 1, updated_at: '2026-01-01T00:00:00Z' },
  ...{ gated: false, private: false, task: null },
});
const page = (repos: string[], next_cursor: string | null = null): HubModelPage => ({
  models: repos.map(model),
  next_cursor,
});

interface Asked {
  query: HubQuery;
  signal: AbortSignal;
  answer: (page: HubModelPage) => void;
  fail: (cause: Error) => void;
}

/** A hub that answers when the test says so. */
function hub() {
  const asked: Asked[] = [];
  const store = new SearchStore(
    (query, signal) =>
      new Promise((answer, fail) => {
        asked.push({ query, signal, answer, fail });
      }),
  );
  const last = () => {
    const found = asked.at(-1);
    if (!found) throw new Error('Nothing was asked.');
    return found;
  };
  const repos = () => store.snapshot().models.map(({ repo }) => repo);
  return { asked, store, last, repos };
}
const settled = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('searches once somebody looks, and not again', async () => {
  const { asked, store, last, repos } = hub();
  expect(store.snapshot().status).toBe('new');
  store.start();
  store.start();
  expect(asked).toHaveLength(1);
  expect(last().query).toEqual({ search: '', sort: 'trending', cursor: null });
  last().answer(page(['a/b']));
  await settled();
  expect(store.snapshot().status).toBe('ready');
  expect(repos()).toEqual(['a/b']);
});

it('waits for a pause in typing, and asks for the last word only', () => {
  const { asked, store, last } = hub();
  store.type('q');
  vi.advanceTimersByTime(TYPING_MS - 1);
  store.type('qw');
  vi.advanceTimersByTime(TYPING_MS - 1);
  expect(asked).toHaveLength(0);
  vi.advanceTimersByTime(1);
  expect(asked).toHaveLength(1);
  expect(last().query.search).toBe('qw');
  store.type('qw ');
  vi.advanceTimersByTime(TYPING_MS);
  expect(asked).toHaveLength(1);
});

it('forgets the answer to an earlier question', async () => {
  const { asked, store, repos } = hub();
  store.start();
  store.sortBy('likes');
  expect(asked[0]?.signal.aborted).toBe(true);
  asked[1]?.answer(page(['new/one']));
  await settled();
  asked[0]?.answer(page(['old/one']));
  await settled();
  expect(repos()).toEqual(['new/one']);
});

describe('when the hub cannot be reached', () => {
  it('keeps what was found, says why, and tries again on demand', async () => {
    const { store, last, repos } = hub();
    store.start();
    last().answer(page(['a/b']));
    await settled();
    store.sortBy('updated');
    last().fail(new ApiError('refused', 'The hub cannot be reached.', 502));
    await settled();
    expect(store.snapshot()).toMatchObject({
      status: 'failed',
      failure: 'The hub cannot be reached.',
    });
    expect(repos()).toEqual(['a/b']);
    store.retry();
    expect(store.snapshot()).toMatchObject({ status: 'searching', failure: null });
    expect(last().query.sort).toBe('updated');
  });
});

it('adds the next page, each repo once', async () => {
  const { asked, store, last, repos } = hub();
  store.start();
  store.more();
  expect(asked).toHaveLength(1);
  last().answer(page(['a/1', 'a/2'], 'next'));
  await settled();
  store.more();
  store.more();
  expect(asked).toHaveLength(2);
  expect(last().query.cursor).toBe('next');
  expect(store.snapshot().status).toBe('adding');
  last().answer(page(['a/2', 'a/3']));
  await settled();
  expect(repos()).toEqual(['a/1', 'a/2', 'a/3']);
  store.more();
  expect(asked).toHaveLength(2);
});
