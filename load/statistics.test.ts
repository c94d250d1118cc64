import { describe, expect, it } from 'vitest';
import { gaps, quantiles } from './statistics.js';

describe('quantiles', () => {
  it('lie between the two nearest values', () => {
    expect(quantiles([40, 10, 30, 20])).toEqual({ p50: 25, p95: 38.5, max: 40 });
    expect(quantiles([7])).toEqual({ p50: 7, p95: 7, max: 7 });
  });

  it('of nothing are not numbers', () => {
    expect(quantiles([])).toEqual({ p50: Number.NaN, p95: Number.NaN, max: Number.NaN });
  });
});

it('finds the times between arrivals', () => {
  expect(gaps([5, 7, 7, 12])).toEqual([2, 0, 5]);
  expect(gaps([5])).toEqual([]);
});
