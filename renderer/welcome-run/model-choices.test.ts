import { describe, expect, it } from 'vitest';
import type { Download } from '../../protocol/downloads.js';
import { testEntry } from '../../protocol/test-state.js';
import { choicesOf, chosenOf, downloadOf } from './model-choices.js';
import type { Offer } from './suggestion-store.js';

const guide = testEntry('guide', { built_in: true, source: 'built_in' });
const offer = (repo: string, changes: Partial<Offer> = {}): Offer => ({
  ...{ repo, revision: 'r1', title: repo, name: `${repo}-Q4_K_M`, bytes: 1 },
  ...{ pace: 'fast', installedAs: null },
  ...changes,
});
const download = (repo: string, changes: Partial<Download> = {}): Download => ({
  ...{ id: repo, repo, revision: 'r1', name: `${repo}-Q4_K_M`, quantization: 'Q4_K_M', files: [] },
  ...{ status: 'downloading', total_bytes: 2, received_bytes: 1, bytes_per_second: null },
  ...{ seconds_left: null, retry_at: null, reason: null, model_id: null },
  ...changes,
});
const facts = {
  models: [guide],
  downloads: [],
  suggestions: { offers: [] as Offer[] },
  freeBytes: null,
};
const ids = (choices: { id: string }[]) => choices.map(({ id }) => id);

describe('choices', () => {
  it('are what is here, what fits, and the built-in model last', () => {
    const models = [guide, testEntry('a'), testEntry('e', { kind: 'embedding' })];
    const suggestions = { offers: [offer('o/x')] };
    expect(ids(choicesOf({ ...facts, models, suggestions }))).toEqual([
      'here:a',
      'offer:o/x',
      'guide',
    ]);
  });

  it('end with deciding later where there is no built-in model', () => {
    expect(ids(choicesOf({ ...facts, models: [] }))).toEqual(['later']);
  });

  it('name no model twice that is here already', () => {
    const models = [guide, testEntry('a')];
    const known = { offers: [offer('o/x', { installedAs: 'a' })] };
    expect(ids(choicesOf({ ...facts, models, suggestions: known }))).toEqual(['here:a', 'guide']);
    const arrived = [download('o/x', { status: 'done', model_id: 'a' })];
    const suggestions = { offers: [offer('o/x')] };
    expect(ids(choicesOf({ ...facts, models, downloads: arrived, suggestions }))).toEqual([
      'here:a',
      'guide',
    ]);
  });

  it('know what is on its way, and offer anew what has failed or was deleted', () => {
    const suggestions = { offers: [offer('o/x')] };
    const stand = (changes: Partial<Download>) => {
      const [first] = choicesOf({ ...facts, downloads: [download('o/x', changes)], suggestions });
      return first?.kind === 'offer' ? [first.download !== null, first.installedAs] : null;
    };
    expect(stand({})).toEqual([true, null]);
    expect(stand({ status: 'paused' })).toEqual([true, null]);
    expect(stand({ status: 'failed' })).toEqual([false, null]);
    expect(stand({ status: 'done', model_id: 'gone' })).toEqual([false, null]);
  });
});

describe('the chosen one', () => {
  const suggestions = { offers: [offer('o/x', { pace: 'slow' }), offer('o/y')] };
  const choices = choicesOf({ ...facts, suggestions });

  it('is the strongest that is not slow, as soon as no better one can follow', () => {
    const only = (one: Offer) => choicesOf({ ...facts, suggestions: { offers: [one] } });
    expect(chosenOf(choicesOf(facts), null, 'looking')).toBeNull();
    expect(chosenOf(only(offer('o/x', { pace: 'slow' })), null, 'looking')).toBeNull();
    expect(chosenOf(only(offer('o/x', { pace: 'slow' })), null, 'ready')?.id).toBe('offer:o/x');
    expect(chosenOf(only(offer('o/y')), null, 'looking')?.id).toBe('offer:o/y');
    expect(chosenOf(choices, null, 'looking')?.id).toBe('offer:o/y');
    expect(chosenOf(choices, null, 'ready')?.id).toBe('offer:o/y');
  });

  it('is one that the disk has room for', () => {
    const offers = [offer('o/x', { bytes: 9 }), offer('o/y', { bytes: 5 })];
    const narrow = choicesOf({ ...facts, suggestions: { offers }, freeBytes: 6 });
    expect(narrow.map((each) => (each.kind === 'offer' ? each.hasRoom : null))).toEqual([
      ...[false, true, null],
    ]);
    expect(chosenOf(narrow, null, 'ready')?.id).toBe('offer:o/y');
    const full = choicesOf({ ...facts, suggestions: { offers }, freeBytes: 0 });
    expect(chosenOf(full, null, 'ready')?.id).toBe('guide');
  });

  it('is what the person has chosen, at any time', () => {
    expect(chosenOf(choices, 'guide', 'looking')?.id).toBe('guide');
    expect(chosenOf(choices, 'offer:o/x', 'ready')?.id).toBe('offer:o/x');
    expect(chosenOf(choices, 'here:gone', 'ready')?.id).toBe('offer:o/y');
  });

  it('is one that is here before all others, and the built-in one where nothing can be had', () => {
    const here = choicesOf({ ...facts, models: [guide, testEntry('a')], suggestions });
    expect(chosenOf(here, null, 'looking')?.id).toBe('here:a');
    expect(chosenOf(choicesOf(facts), null, 'failed')?.id).toBe('guide');
  });
});

it('the download that is followed is the one that was chosen, else the last one', () => {
  const downloads = [download('o/x'), download('o/y')];
  expect(downloadOf(downloads, { repo: 'o/x', name: 'o/x-Q4_K_M' })?.id).toBe('o/x');
  expect(downloadOf(downloads, 'last')?.id).toBe('o/y');
  expect(downloadOf(downloads, null)).toBeNull();
  expect(downloadOf([], 'last')).toBeNull();
});
