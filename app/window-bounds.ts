import type { Rectangle } from './settings.js';

/** Device-independent pixels; below this the composer and the model picker no longer fit. */
export const MINIMUM_SIZE = { width: 420, height: 480 };
const DEFAULT_SIZE = { width: 1040, height: 780 };
/** So much of the window has to be on a screen, along both axes, for a hand to grab it. */
const GRAB = 64;

/**
 * Where the window opens: where it was, made to fit the screen it was on; in the middle of the first screen when it
 * was never moved or its screen is gone.
 * @param workAreas at least one, the primary screen first
 */
export function windowBounds(
  remembered: Rectangle | null,
  workAreas: readonly [Rectangle, ...Rectangle[]],
): Rectangle {
  const wanted = remembered ?? { x: 0, y: 0, ...DEFAULT_SIZE };
  const home = remembered ? workAreas.find((area) => isReachable(remembered, area)) : undefined;
  const area = home ?? workAreas[0];
  const width = clamp(wanted.width, MINIMUM_SIZE.width, area.width);
  const height = clamp(wanted.height, MINIMUM_SIZE.height, area.height);
  if (!home) {
    return {
      x: area.x + Math.round((area.width - width) / 2),
      y: area.y + Math.round((area.height - height) / 2),
      width,
      height,
    };
  }
  return {
    x: clamp(wanted.x, area.x, area.x + area.width - width),
    y: clamp(wanted.y, area.y, area.y + area.height - height),
    width,
    height,
  };
}

function isReachable(window: Rectangle, area: Rectangle): boolean {
  const across = overlap(window.x, window.width, area.x, area.width);
  const down = overlap(window.y, window.height, area.y, area.height);
  return across >= GRAB && down >= GRAB;
}

function overlap(start: number, length: number, otherStart: number, otherLength: number): number {
  return Math.min(start + length, otherStart + otherLength) - Math.max(start, otherStart);
}

/** A screen smaller than the minimum gets a window of the screen's size. */
function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
