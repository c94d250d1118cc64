import fc from 'fast-check';
import { expect, it } from 'vitest';
import { quickBounds } from './quick-bounds.js';

it('stands in the middle, near the top, as high as its content', () => {
  const screen = { x: 1_920, y: 0, width: 1_920, height: 1_000 };
  expect(quickBounds(screen, 240)).toEqual({ x: 2_540, y: 160, width: 680, height: 240 });
  expect(quickBounds(screen, 0).height).toBe(72);
  expect(quickBounds(screen, 5_000).height).toBe(680);
});

it('stays on every screen that is wide enough for a field', () => {
  const screens = fc.record({
    x: fc.integer({ min: -10_000, max: 10_000 }),
    y: fc.integer({ min: -10_000, max: 10_000 }),
    width: fc.integer({ min: 64, max: 8_000 }),
    height: fc.integer({ min: 200, max: 8_000 }),
  });
  fc.assert(
    fc.property(screens, fc.nat({ max: 100_000 }), (screen, height) => {
      const bounds = quickBounds(screen, height);
      expect(bounds.x).toBeGreaterThanOrEqual(screen.x);
      expect(bounds.x + bounds.width).toBeLessThanOrEqual(screen.x + screen.width);
      expect(bounds.y).toBeGreaterThanOrEqual(screen.y);
      expect(bounds.y + bounds.height).toBeLessThanOrEqual(screen.y + screen.height);
    }),
  );
});
