import type { Rectangle } from './settings.js';

/** Device-independent pixels. */
const WIDTH = 680;
const HEIGHT_MIN = 72;
/** Left free at either side of a small screen. */
const MARGIN = 16;
/** Of the work area: where its upper edge is, and how much of it it takes at most. */
const TOP = 0.16;
const HEIGHT_MAX = 0.68;

/**
 * Where the small window stands: in the middle of the screen, near its top, as high as what is in it.
 * @param height of its content
 */
export function quickBounds(workArea: Rectangle, height: number): Rectangle {
  const width = Math.max(1, Math.min(WIDTH, workArea.width - 2 * MARGIN));
  const most = Math.max(1, Math.floor(workArea.height * HEIGHT_MAX));
  return {
    x: workArea.x + Math.round((workArea.width - width) / 2),
    y: workArea.y + Math.round(workArea.height * TOP),
    width,
    height: Math.min(Math.max(Math.ceil(height), HEIGHT_MIN), most),
  };
}
