import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linearScale, logScale } from './scale.js';

const positive = fc.double({ min: 1e-6, max: 1e9, noNaN: true });

describe('a linear scale', () => {
  it('has a few round ticks from 0 to beyond the highest value', () => {
    expect(linearScale(87, 0, 100).ticks).toEqual([0, 20, 40, 60, 80, 100]);
    expect(linearScale(0.3, 0, 100).ticks).toEqual([0, 0.1, 0.2, 0.3]);
    expect(linearScale(0, 0, 100).ticks.length).toBeGreaterThan(1);
    fc.assert(
      fc.property(positive, (max) => {
        const { ticks, at } = linearScale(max, 300, 0);
        expect(ticks.length).toBeLessThanOrEqual(7);
        expect(at(0)).toBe(300);
        expect(at(ticks.at(-1) ?? 0)).toBeCloseTo(0);
        expect(at(max)).toBeGreaterThanOrEqual(-0.001);
      }),
    );
  });
});

describe('a logarithmic scale', () => {
  it('gives equal ratios equal distances', () => {
    const { at, ticks } = logScale(1, 100, 0, 200);
    expect(ticks).toEqual([1, 2, 5, 10, 20, 50, 100]);
    expect([at(1), at(10), at(100)].map(Math.round)).toEqual([0, 100, 200]);
    expect(at(0)).toBe(0);
  });

  it('holds all values, with few ticks', () => {
    fc.assert(
      fc.property(positive, positive, (a, b) => {
        const [min, max] = [Math.min(a, b), Math.max(a, b)];
        const { at, ticks } = logScale(min, max, 0, 100);
        expect(ticks.length).toBeGreaterThan(0);
        for (const value of [min, max, ...ticks]) {
          expect(at(value)).toBeGreaterThanOrEqual(-0.001);
          expect(at(value)).toBeLessThanOrEqual(100.001);
        }
        expect(at(max)).toBeGreaterThanOrEqual(at(min));
      }),
    );
  });
});
