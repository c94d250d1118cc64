import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Speed, secondsLeft } from './speed.js';

/** Waits in milliseconds and bytes that came after each. */
const steps = fc.array(
  fc.tuple(fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: 0, max: 10_000_000 })),
  { minLength: 1, maxLength: 200 },
);

describe('speed', () => {
  it('is steady where bytes come steadily', () => {
    const speed = new Speed();
    for (let now = 0; now <= 20_000; now += 50) speed.note(now, now * 100);
    expect(speed.perSecond(20_000)).toBeCloseTo(100_000, 0);
  });

  it('is of the last seconds, and none once nothing has come for so long', () => {
    const speed = new Speed();
    for (let now = 0; now <= 10_000; now += 100) speed.note(now, now * 1_000);
    for (let now = 10_000; now <= 18_000; now += 100) speed.note(now, 10_000_000 + now);
    expect(speed.perSecond(18_000)).toBeCloseTo(1_000, -1);
    expect(speed.perSecond(24_000)).toBeNull();
  });

  it('begins anew with what begins anew', () => {
    const speed = new Speed();
    speed.note(0, 0);
    speed.note(1_000, 1_000_000);
    speed.note(1_500, 10);
    expect(speed.perSecond(1_500)).toBeNull();
    speed.note(2_500, 20_010);
    expect(speed.perSecond(2_500)).toBeCloseTo(20_000, 0);
    speed.reset();
    expect(speed.perSecond(2_600)).toBeNull();
  });

  it('is never negative and never above all that came in the shortest time', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const speed = new Speed();
        let [now, total] = [0, 0];
        speed.note(now, total);
        for (const [wait, bytes] of all) {
          now += wait;
          total += bytes;
          speed.note(now, total);
          const found = speed.perSecond(now);
          if (found !== null) expect(found).toBeGreaterThan(0);
          expect(found ?? 0).toBeLessThanOrEqual(total * 10.000001);
        }
      }),
    );
  });
});

describe('the time left', () => {
  it('is known while something comes', () => {
    expect(secondsLeft(1_001, 1_000)).toBe(2);
    expect(secondsLeft(0, 1_000)).toBe(0);
    expect(secondsLeft(10, null)).toBeNull();
  });
});
