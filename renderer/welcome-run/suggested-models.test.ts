import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { REPO_NAME } from '../../protocol/hub.js';
import { testFit, testVariant } from '../discover/test-variant.js';
import {
  likelyOffers,
  mayFit,
  OFFERS,
  paceOf,
  SUGGESTED_MODELS,
  variantToOffer,
} from './suggested-models.js';

describe('the suggested models', () => {
  it('are repos, each once, the largest first', () => {
    const repos = SUGGESTED_MODELS.map(({ repo }) => repo);
    expect(new Set(repos).size).toBe(repos.length);
    expect(repos.filter((repo) => !REPO_NAME.test(repo))).toEqual([]);
    const sizes = SUGGESTED_MODELS.map(({ bytes }) => bytes);
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  });

  it('are offered where they may fit, clearly different in size', () => {
    fc.assert(
      fc.property(fc.nat({ max: 200_000_000_000 }), (budget) => {
        const offers = likelyOffers(budget);
        expect(offers.length).toBeLessThanOrEqual(OFFERS);
        for (const [i, { bytes }] of offers.entries()) {
          expect(mayFit(bytes, budget)).toBe(true);
          expect(bytes).toBeLessThanOrEqual((offers[i - 1]?.bytes ?? Infinity) * 0.6);
        }
      }),
    );
  });

  it.each([
    [0, []],
    [1.2e9, ['Qwen3 0.6B']],
    [8e9, ['Qwen3 8B', 'Qwen3 4B', 'Gemma 3 1B']],
    [16e9, ['gpt-oss 20B', 'Qwen3 8B', 'Qwen3 4B']],
  ])('of %d bytes of memory', (budget, names) => {
    expect(likelyOffers(budget).map(({ name }) => name)).toEqual(names);
  });
});

describe('the variant that is offered', () => {
  const variants = [testVariant('Q2_K', 2e9), testVariant('Q4_K_M', 4e9), testVariant('Q8_0', 8e9)];

  it('is the usual one, else the largest that may fit', () => {
    expect(variantToOffer(variants, 32e9)?.name).toBe('Q4_K_M');
    expect(variantToOffer(variants, 3e9)?.name).toBe('Q2_K');
    expect(variantToOffer(variants.toSpliced(1, 1), 32e9)?.name).toBe('Q8_0');
  });

  it('is none where none may fit', () => {
    expect(variantToOffer(variants, 1e9)).toBeNull();
    expect(variantToOffer([], 32e9)).toBeNull();
  });
});

describe('the pace', () => {
  const plan = (weights: number, gpu: number) => ({
    ...testFit('fits'),
    weights_bytes: weights,
    total_bytes: weights,
    gpu_bytes: gpu,
  });

  it('is told by what a processor reads for each token', () => {
    expect(paceOf(plan(1e9, 0), 1)).toBe('fast');
    expect(paceOf(plan(4e9, 0), 1)).toBe('steady');
    expect(paceOf(plan(9e9, 0), 1)).toBe('slow');
  });

  it('is better for what lies on a GPU, and for a mixture of experts', () => {
    expect(paceOf(plan(9e9, 9e9), 1)).toBe('fast');
    expect(paceOf(plan(9e9, 6e9), 1)).toBe('steady');
    expect(paceOf(plan(12e9, 0), 0.17)).toBe('steady');
  });
});
