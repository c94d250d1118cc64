import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RETRY_RULES, retryDelay } from './retry.js';

const HOUR = 60 * 60_000;

describe('the wait before the next try', () => {
  it('grows, keeps to its bounds, and ends', () => {
    const rules = fc.record({
      firstMs: fc.integer({ min: 1, max: 10_000 }),
      longestMs: fc.integer({ min: 10_000, max: 100_000 }),
      tries: fc.integer({ min: 1, max: 200 }),
    });
    const random = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(rules, random, fc.integer({ min: 1, max: 300 }), (made, chance, failures) => {
        const delay = retryDelay(failures, null, chance, made);
        expect(delay === null).toBe(failures >= made.tries);
        if (delay === null) return;
        expect(delay).toBeGreaterThanOrEqual(made.firstMs / 2);
        expect(delay).toBeLessThanOrEqual(made.longestMs);
        const next = retryDelay(failures + 1, null, chance, made);
        expect(next ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(delay);
      }),
    );
  });

  it('is never shorter than the server asks for, up to an hour', () => {
    const asked = fc.integer({ min: 0, max: 10 * HOUR });
    fc.assert(
      fc.property(asked, fc.integer({ min: 1, max: 20 }), (ms, failures) => {
        const delay = retryDelay(failures, ms, 0.5, RETRY_RULES) ?? 0;
        expect(delay).toBeGreaterThanOrEqual(Math.min(ms, HOUR));
        expect(delay).toBeLessThanOrEqual(HOUR);
      }),
    );
  });
});
