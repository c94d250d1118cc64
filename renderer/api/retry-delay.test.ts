import fc from 'fast-check';
import { expect, it } from 'vitest';
import { retryDelay } from './retry-delay.js';

it('waits longer with each failed try, at most 8 s and never less than a third of a second', () => {
  expect([1, 2, 3, 4, 5, 6].map((attempt) => retryDelay(attempt, 1))).toEqual([
    500, 1000, 2000, 4000, 8000, 8000,
  ]);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2000 }), fc.double({ min: 0, max: 1 }), (n, random) => {
      const wait = retryDelay(n, Number.isNaN(random) ? 0 : random);
      expect(wait).toBeGreaterThanOrEqual(375);
      expect(wait).toBeLessThanOrEqual(8000);
    }),
  );
});
