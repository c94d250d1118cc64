import { expect, it, vi } from 'vitest';
import type { Fit } from '../../protocol/fit.js';
import type { HubModel, HubModelDetails } from '../../protocol/hub.js';
import { ApiError } from '../api/error.js';
import { testDetails, testFit, testVariant } from '../discover/test-variant.js';
import { SUGGESTED_MODELS } from './suggested-models.js';
import { SuggestionStore } from './suggestion-store.js';

const ROOMY = 200e9;
const missing = new ApiError('refused', 'There is none.', 404, 'hub_not_found');
const offline = new ApiError('refused', 'It cannot be reached.', 503, 'hub_offline');

interface Repo {
  verdict?: Fit['verdict'];
  gated?: boolean;
  /** Instead of an answer. */
  failure?: ApiError;
  /** Of the question whether it fits. */
  fitFailure?: ApiError;
}

/** A hub with these repos. */
function hub(repos: Record<string, Repo>, found: string[] | ApiError = []) {
  const asked: string[] = [];
  const details = async (
    repo: string,
    _context: number | null,
    fit: string | null,
  ): Promise<HubModelDetails> => {
    if (fit === null) asked.push(repo);
    const {
      verdict = 'fits',
      gated = false,
      failure,
      fitFailure,
    } = repos[repo] ?? { failure: missing };
    if (failure) throw failure;
    if (fit !== null && fitFailure) throw fitFailure;
    const variant = { ...testVariant('Q4_K_M', 1e9), fit: fit === null ? null : testFit(verdict) };
    return testDetails([variant], { repo, gated });
  };
  const search = vi.fn(async () => {
    if (found instanceof ApiError) throw found;
    const models = found.map(
      (repo): HubModel => ({
        ...{ repo, downloads: 1, likes: 1, updated_at: '', gated: repos[repo]?.gated ?? false },
        ...{ private: false, task: null },
      }),
    );
    return { models, next_cursor: null };
  });
  return { asked, search, store: new SuggestionStore({ details, search }) };
}

const done = (store: SuggestionStore) =>
  vi.waitFor(() => expect(store.snapshot().status).not.toBe('looking'));
const titles = (store: SuggestionStore) => store.snapshot().offers.map(({ title }) => title);

/** All suggested models, those of these names changed. */
function all(changes: Record<string, Repo> = {}): Record<string, Repo> {
  return Object.fromEntries(SUGGESTED_MODELS.map(({ repo, name }) => [repo, changes[name] ?? {}]));
}

it('offers three models that fit, each clearly smaller than the one before', async () => {
  const { store, search } = hub(all());
  store.look(ROOMY);
  expect(store.snapshot().status).toBe('looking');
  await done(store);
  expect(store.snapshot()).toMatchObject({ status: 'ready', failure: null });
  expect(titles(store)).toEqual(['Qwen3 32B', 'Qwen3 14B', 'Qwen3 8B']);
  expect(store.snapshot().offers[0]).toMatchObject({ name: 'Q4_K_M', revision: 'r1', bytes: 1e9 });
  expect(search).not.toHaveBeenCalled();
});

it('asks for none that cannot fit', async () => {
  const { store, asked } = hub(all());
  store.look(2e9);
  await done(store);
  expect(asked).not.toContain('Qwen/Qwen3-8B-GGUF');
  expect(titles(store)).toEqual(['Gemma 3 1B']);
});

it('leaves out what does not fit, is gated or is not there', async () => {
  const { store } = hub(
    all({
      'Qwen3 32B': { verdict: 'partly' },
      'Qwen3 30B A3B': { gated: true },
      'Gemma 3 27B': { failure: missing },
    }),
  );
  store.look(ROOMY);
  await done(store);
  expect(titles(store)).toEqual(['gpt-oss 20B', 'Qwen3 8B', 'Qwen3 4B']);
});

it('offers one of which it cannot be found out whether it fits', async () => {
  const { store } = hub(all({ 'Qwen3 32B': { fitFailure: offline } }));
  store.look(ROOMY);
  await done(store);
  expect(store.snapshot().offers[0]).toMatchObject({ title: 'Qwen3 32B', pace: null });
});

it('offers what a mirror has instead', async () => {
  const { store } = hub({ 'ada/one-gguf': {}, 'ada/two-gguf': { gated: true }, 'bob/three': {} }, [
    'ada/one-gguf',
    'ada/two-gguf',
    'bob/three',
  ]);
  store.look(ROOMY);
  await done(store);
  expect(titles(store)).toEqual(['one-gguf', 'three']);
});

it('tells why nothing can be had, and looks again', async () => {
  const repos = all();
  const failing = Object.fromEntries(
    Object.keys(repos).map((repo) => [repo, { failure: offline }]),
  );
  const { store } = hub(failing, offline);
  store.look(ROOMY);
  await done(store);
  expect(store.snapshot()).toEqual({
    status: 'failed',
    offers: [],
    failure: 'It cannot be reached.',
  });
  Object.assign(failing, repos);
  store.look(ROOMY);
  await done(store);
  expect(store.snapshot()).toMatchObject({ status: 'ready', failure: null });
  expect(titles(store)).toHaveLength(3);
});

it('keeps what was found before the network went', async () => {
  const { store } = hub(all({ 'Qwen3 14B': { failure: offline } }));
  store.look(ROOMY);
  await done(store);
  expect(store.snapshot().status).toBe('ready');
  expect(titles(store)).toEqual(['Qwen3 32B']);
});

it('leaves off when it is told to', async () => {
  const { store, asked } = hub(all());
  store.look(ROOMY);
  store.stop();
  expect(store.snapshot()).toMatchObject({ status: 'new', offers: [] });
  const before = asked.length;
  store.look(ROOMY);
  await done(store);
  expect(titles(store)).toHaveLength(3);
  expect(asked.length).toBeGreaterThan(before);
});
