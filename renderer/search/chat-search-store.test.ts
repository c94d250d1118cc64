import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ChatSearch } from '../../protocol/chats.js';
import { ApiError } from '../api/error.js';
import { ChatSearchStore } from './chat-search-store.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const found = (title: string): ChatSearch => ({
  results: [{ chat_id: 'c', message_id: null, title, archived: false, excerpt: [], at: 0 }],
});

it('searches once nothing more is typed, and only for what is new', async () => {
  const search = vi.fn(async (query: string) => found(query));
  const store = new ChatSearchStore(search);
  for (const query of ['r', 'ra', 'rain', 'rain ']) store.type(query);
  await vi.runAllTimersAsync();
  expect(search.mock.calls.map(([query]) => query)).toEqual(['rain']);
  expect(store.snapshot()).toMatchObject({ status: 'ready', hitsFor: 'rain' });
  expect(store.snapshot().hits.map(({ title }) => title)).toEqual(['rain']);
});

it('forgets an answer that comes too late', async () => {
  const answers: ((result: ChatSearch) => void)[] = [];
  const store = new ChatSearchStore(() => new Promise((resolve) => answers.push(resolve)));
  store.type('one');
  await vi.runAllTimersAsync();
  store.type('two');
  await vi.runAllTimersAsync();
  answers[1]?.(found('two'));
  answers[0]?.(found('one'));
  await vi.runAllTimersAsync();
  expect(store.snapshot().hits.map(({ title }) => title)).toEqual(['two']);
  store.type('three');
  await vi.runAllTimersAsync();
  store.type('');
  answers[2]?.(found('three'));
  await vi.runAllTimersAsync();
  expect(store.snapshot()).toMatchObject({ status: 'new', hits: [] });
});

it('says why it failed, keeps what was found before, and can be tried again', async () => {
  const search = vi.fn(async (_: string): Promise<ChatSearch> => found('before'));
  const store = new ChatSearchStore(search);
  store.type('rain');
  await vi.runAllTimersAsync();
  search.mockRejectedValueOnce(new ApiError('unreachable', 'The server is not answering.'));
  store.type('rains');
  await vi.runAllTimersAsync();
  expect(store.snapshot()).toMatchObject({
    status: 'failed',
    failure: 'The server is not answering.',
    hitsFor: 'rain',
  });
  store.retry();
  await vi.runAllTimersAsync();
  expect(store.snapshot()).toMatchObject({ status: 'ready', failure: null, hitsFor: 'rains' });
});
