/**
 * Calls back before the next paint. A long answer is drawn less often, because the cost of drawing grows with it and
 * typing and scrolling must stay smooth; a hidden window gets no frames at all, so a timer stands in.
 */
export function nextFrame(callback: () => void, textLength: number): void {
  const wait = document.hidden ? 250 : textLength > 100_000 ? 200 : textLength > 20_000 ? 60 : 0;
  if (wait === 0) requestAnimationFrame(callback);
  else setTimeout(callback, wait);
}
