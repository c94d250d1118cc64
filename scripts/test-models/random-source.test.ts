import { expect, it } from 'vitest';
import { RandomSource } from './random-source.js';

it('gives the same sequence for the same seed, and another for another', () => {
  const words = (seed: string): number[] => {
    const random = new RandomSource(seed);
    return Array.from({ length: 8 }, () => random.word());
  };
  expect(words('one')).toEqual(words('one'));
  expect(words('one')).not.toEqual(words('two'));
  // Fixed for good: other values here mean other bytes in every model.
  expect(words('one').slice(0, 3)).toEqual([3_226_953_839, 4_248_238_375, 1_976_447_328]);
  expect(words('').every((word) => Number.isInteger(word) && word >= 0 && word < 2 ** 32)).toBe(
    true,
  );
});

it('spreads evenly over the range that belongs to a deviation', () => {
  const random = new RandomSource('spread');
  const values = Array.from({ length: 20_000 }, () => random.spread(1));
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  expect(Math.abs(mean)).toBeLessThan(0.03);
  expect(Math.max(...values)).toBeLessThanOrEqual(Math.sqrt(3));
  expect(Math.max(...values)).toBeGreaterThan(1.7);
  expect(Math.min(...values)).toBeLessThan(-1.7);
});

it('fills arrays of any length', () => {
  const bytes = new Uint8Array(4099);
  new RandomSource('fill').fill(bytes);
  expect(new Set(bytes).size).toBe(256);
});
