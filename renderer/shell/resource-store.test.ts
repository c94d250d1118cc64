import { expect, it } from 'vitest';
import { ApiError } from '../api/error.js';
import { ResourceStore } from './resource-store.js';

const refused = () => Promise.reject(new ApiError('refused', 'There is no such folder.', 400));

it('reads what the server keeps, and takes over what a change answers', async () => {
  const store = new ResourceStore(async () => 1);
  expect(store.snapshot()).toEqual({ value: null, status: 'loading', failure: null });
  await store.load();
  expect(store.snapshot()).toEqual({ value: 1, status: 'ready', failure: null });
  expect(await store.change(async () => 2)).toBeNull();
  expect(store.snapshot().value).toBe(2);
  expect(await store.change(async () => null)).toBeNull();
  expect(store.snapshot().value).toBe(1);
});

it('tells why a change did not work, and keeps what there is', async () => {
  const store = new ResourceStore(async () => 1);
  await store.load();
  expect(await store.change(refused)).toBe('There is no such folder.');
  expect(store.snapshot()).toEqual({ value: 1, status: 'ready', failure: null });
});

it('tells why it could not be read, and what was read before', async () => {
  let answer: () => Promise<number> = async () => 1;
  const store = new ResourceStore(() => answer());
  await store.load();
  answer = refused;
  await store.load();
  expect(store.snapshot()).toEqual({
    ...{ value: 1, status: 'failed', failure: 'There is no such folder.' },
  });
});

it('lets a change win over a reading that began before it', async () => {
  let finish = (_value: number) => {};
  const store = new ResourceStore(() => new Promise<number>((resolve) => (finish = resolve)));
  const reading = store.load();
  await store.change(async () => 2);
  finish(1);
  await reading;
  expect(store.snapshot().value).toBe(2);
});
