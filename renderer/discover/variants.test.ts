import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testVariant } from './test-variant.js';
import { contextSteps, nextToCheck, recommendedVariant, usualContext } from './variants.js';

describe('recommendedVariant', () => {
  const name = (...variants: ReturnType<typeof testVariant>[]) =>
    recommendedVariant(variants)?.name ?? null;

  it('is Q4_K_M, as long as nothing says that it does not fit', () => {
    expect(name(testVariant('Q2_K', 2), testVariant('Q4_K_M', 4), testVariant('Q8_0', 8))).toBe(
      'Q4_K_M',
    );
    expect(name(testVariant('Q4_K_M', 4, 'fits'), testVariant('Q8_0', 8, 'fits'))).toBe('Q4_K_M');
  });

  it('is else the largest that fits, else the largest that fits partly', () => {
    const big = testVariant('Q4_K_M', 40, 'partly');
    expect(name(testVariant('Q2_K', 20, 'fits'), testVariant('Q3_K_S', 25, 'fits'), big)).toBe(
      'Q3_K_S',
    );
    expect(name(testVariant('Q3_K_S', 25, 'partly'), big)).toBe('Q4_K_M');
  });

  it('is none where none fits, or nothing is known', () => {
    expect(name()).toBeNull();
    expect(name(testVariant('Q8_0', 8))).toBeNull();
    expect(name(testVariant('Q4_K_M', 4, 'too_big'), testVariant('Q8_0', 8, 'too_big'))).toBeNull();
  });
});

it('checks the chosen one first, then the recommended one, then the rest, and none twice', () => {
  const variants = [testVariant('Q2_K', 2), testVariant('Q4_K_M', 4), testVariant('Q8_0', 8)];
  const none = new Set<string>();
  expect(nextToCheck(variants, 'Q8_0', none)).toBe('Q8_0');
  expect(nextToCheck(variants, null, none)).toBe('Q4_K_M');
  expect(nextToCheck(variants, null, new Set(['Q4_K_M']))).toBe('Q2_K');
  expect(nextToCheck(variants, null, new Set(['Q2_K', 'Q4_K_M', 'Q8_0']))).toBeNull();
  expect(nextToCheck([testVariant('Q2_K', 2, 'fits')], 'Q2_K', none)).toBeNull();
});

it('offers contexts up to what the model was trained for', () => {
  expect(contextSteps(32_768)).toEqual([2048, 4096, 8192, 16_384, 32_768]);
  expect(contextSteps(40_960)).toEqual([2048, 4096, 8192, 16_384, 32_768, 40_960]);
  expect(contextSteps(512)).toEqual([512]);
  expect(contextSteps(null).at(-1)).toBe(32_768);
  fc.assert(
    fc.property(fc.option(fc.integer({ min: 1, max: 2 ** 30 })), (trained) => {
      const steps = contextSteps(trained);
      expect(steps).toEqual([...new Set(steps)].sort((a, b) => a - b));
      if (trained !== null) expect(steps).toContain(usualContext(trained));
    }),
  );
});
