import { describe, expect, it } from 'vitest';
import { restartDelay } from './restart-policy.js';

describe('restartDelay', () => {
  it('waits longer each time, then gives up', () => {
    expect(restartDelay([1_000])).toBe(250);
    expect(restartDelay([1_000, 2_000])).toBe(1_000);
    expect(restartDelay([1_000, 2_000, 4_000])).toBe(4_000);
    expect(restartDelay([1_000, 2_000, 4_000, 9_000])).toBeNull();
  });

  it('forgets crashes that are a minute old', () => {
    expect(restartDelay([0, 10_000, 20_000, 65_000])).toBe(4_000);
    expect(restartDelay([0, 1_000, 2_000, 600_000])).toBe(250);
  });
});
