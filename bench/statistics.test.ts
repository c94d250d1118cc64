import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gaps, quantiles, spread } from './statistics.js';

describe('quantiles', () => {
  it('lie between the two nearest values', () => {
    expect(quantiles([40, 10, 30, 20])).toEqual({ p50: 25, p95: 38.5, max: 40 });
    expect(quantiles([7])).toEqual({ p50: 7, p95: 7, max: 7 });
  });

  it('of nothing are not numbers', () => {
    expect(quantiles([])).toEqual({ p50: Number.NaN, p95: Number.NaN, max: Number.NaN });
  });
});

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

it('finds the times between arrivals', () => {
  expect(gaps([5, 7, 7, 12])).toEqual([2, 0, 5]);
  expect(gaps([5])).toEqual([]);
});
