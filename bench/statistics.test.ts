import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spread } from './statistics.js';

describe('a spread', () => {
  it('leaves out the rounds that have no number', () => {
    expect(spread([null, 3, Number.NaN, 1, 2])).toEqual({
      ...{ median: 2, low: 1.5, high: 2.5, min: 1, max: 3, rounds: 3 },
    });
    expect(spread([null]).rounds).toBe(0);
  });

  it('is in order', () => {
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 });
    fc.assert(
      fc.property(fc.array(finite, { minLength: 1 }), (values) => {
        const { min, low, median, high, max } = spread(values);
        expect([min, low, median, high, max]).toEqual(
          [min, low, median, high, max].sort((a, b) => a - b),
        );
        expect([min, max]).toEqual([Math.min(...values), Math.max(...values)].map((v) => v + 0));
      }),
    );
  });
});
