import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { HubModelDetails } from '../../protocol/hub.js';
import { ApiError } from '../api/error.js';
import { RepoStore, SLIDING_MS } from './repo-store.js';
import { testDetails, testFit, testVariant } from './test-variant.js';

const names = ['Q2_K', 'Q4_K_M', 'Q8_0'];

/** A hub that tells of a variant whether it fits when it is asked for it by name. */
function hub(answer: (context: number | null, fit: string | null) => HubModelDetails) {
  const asked: { context: number | null; fit: string | null; signal: AbortSignal }[] = [];
  const store = new RepoStore('owner/name', async (_repo, context, fit, signal) => {
    asked.push({ context, fit, signal });
    return answer(context, fit);
  });
  const verdicts = () =>
    store.snapshot().details?.variants.map(({ fit }) => fit && [fit.verdict, fit.context_length]);
  return { asked, store, verdicts };
}
const details = (context: number | null, fit: string | null) =>
  testDetails(
    names.map((name, i) => ({
      ...testVariant(name, i + 1),
      fit: name === fit ? testFit('fits', context ?? 8192) : null,
    })),
  );
const settled = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('shows what there is, and then asks of each whether it fits, the usual one first', async () => {
  const { asked, store, verdicts } = hub(details);
  store.load();
  expect(store.snapshot().status).toBe('loading');
  await settled();
  expect(asked.map(({ fit }) => fit)).toEqual([null, 'Q4_K_M', 'Q2_K', 'Q8_0']);
  expect(store.snapshot()).toMatchObject({ status: 'ready', context: 8192, checking: null });
  expect(verdicts()).toEqual(names.map(() => ['fits', 8192]));
});

it('asks anew for another context once the slider rests, and shows the old verdicts until then', async () => {
  const { asked, store, verdicts } = hub(details);
  store.load();
  await settled();
  const before = asked.length;
  store.slide(4096);
  await vi.advanceTimersByTimeAsync(SLIDING_MS - 1);
  store.slide(16_384);
  await vi.advanceTimersByTimeAsync(SLIDING_MS - 1);
  expect(asked).toHaveLength(before);
  expect(verdicts()).toEqual(names.map(() => ['fits', 8192]));
  await vi.advanceTimersByTimeAsync(1);
  expect(asked.slice(before).map(({ context }) => context)).toEqual(
    names.map(() => 16_384).concat(16_384),
  );
  expect(verdicts()).toEqual(names.map(() => ['fits', 16_384]));
});

it('leaves the context to the server where nothing says for what the model was trained', async () => {
  const { asked, store } = hub((context, fit) => ({
    ...details(context, fit),
    trained_context_length: null,
  }));
  store.load();
  await settled();
  expect(asked.map(({ context }) => context)).toEqual([null, null, null, null]);
  store.slide(2048);
  await vi.advanceTimersByTimeAsync(SLIDING_MS);
  expect(asked.at(-1)?.context).toBe(2048);
});

it('goes on without the verdict of one that cannot be checked', async () => {
  const { asked, store, verdicts } = hub((context, fit) => {
    if (fit === 'Q4_K_M') throw new ApiError('refused', 'Its header is broken.', 502);
    return details(context, fit);
  });
  store.load();
  await settled();
  expect(asked).toHaveLength(4);
  expect(store.snapshot().status).toBe('ready');
  expect(verdicts()).toEqual([['fits', 8192], null, ['fits', 8192]]);
});

it('asks once only of one about which nothing is known', async () => {
  const { asked, store } = hub(() => details(null, null));
  store.load();
  await settled();
  expect(asked.map(({ fit }) => fit)).toEqual([null, 'Q4_K_M', 'Q2_K', 'Q8_0']);
});

it('says why a repo cannot be shown, and tries again', async () => {
  let refuse = true;
  const { store } = hub((context, fit) => {
    if (refuse) throw new ApiError('refused', 'There is no such repo.', 404);
    return details(context, fit);
  });
  store.load();
  await settled();
  expect(store.snapshot()).toMatchObject({ status: 'failed', failure: 'There is no such repo.' });
  refuse = false;
  store.load();
  await settled();
  expect(store.snapshot()).toMatchObject({ status: 'ready', failure: null });
});

it('asks nothing more once it is left', async () => {
  const { asked, store } = hub(details);
  store.load();
  store.stop();
  await settled();
  expect(asked).toHaveLength(1);
  expect(asked[0]?.signal.aborted).toBe(true);
  expect(store.snapshot().details).toBeNull();
});
