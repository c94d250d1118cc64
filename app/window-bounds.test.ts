import { describe, expect, it } from 'vitest';
import { windowBounds } from './window-bounds.js';

const laptop = { x: 0, y: 25, width: 1440, height: 875 };
const beside = { x: 1440, y: 0, width: 1920, height: 1080 };

describe('windowBounds', () => {
  it('opens in the middle of the first screen', () => {
    expect(windowBounds(null, [laptop])).toEqual({ x: 200, y: 73, width: 1040, height: 780 });
  });

  it('comes back where it was, on any screen', () => {
    const here = { x: 1700, y: 100, width: 900, height: 600 };
    expect(windowBounds(here, [laptop, beside])).toEqual(here);
  });

  it('comes to the first screen when its own is gone', () => {
    const bounds = windowBounds({ x: 1700, y: 100, width: 900, height: 600 }, [laptop]);
    expect(bounds).toEqual({ x: 270, y: 163, width: 900, height: 600 });
  });

  it('is pulled back when only an edge is on the screen', () => {
    const bounds = windowBounds({ x: 1340, y: 800, width: 900, height: 600 }, [laptop]);
    expect(bounds).toEqual({ x: 540, y: 300, width: 900, height: 600 });
    expect(windowBounds({ x: 1400, y: 100, width: 900, height: 600 }, [laptop]).x).toBe(270);
  });

  it('shrinks to a smaller screen and never below the minimum', () => {
    expect(windowBounds({ x: 0, y: 0, width: 4000, height: 3000 }, [laptop])).toEqual(laptop);
    const tiny = windowBounds({ x: 10, y: 40, width: 100, height: 100 }, [laptop]);
    expect(tiny).toEqual({ x: 10, y: 40, width: 420, height: 480 });
    const phone = { x: 0, y: 0, width: 320, height: 400 };
    expect(windowBounds(null, [phone])).toEqual(phone);
  });
});
