/** How fast something comes: bytes of the last seconds. Pure. */

/** Milliseconds that count: long enough to be steady, short enough to show that a network is gone. */
const WINDOW_MS = 5_000;

/** Samples closer together than this are one, in milliseconds; so there are never more than some dozens. */
const GRAIN_MS = 100;

export class Speed {
  /** Oldest first: the bytes that had come by then. */
  private samples: { at: number; total: number }[] = [];

  /**
   * `now` in milliseconds, on any clock that does not go back.
   * @param total Bytes that have come altogether. Fewer than before: it began anew.
   */
  note(now: number, total: number): void {
    const last = this.samples.at(-1);
    if (last !== undefined && total < last.total) this.samples = [];
    const before = this.samples.at(-2);
    if (before !== undefined && now - before.at < GRAIN_MS) this.samples.pop();
    this.samples.push({ at: now, total });
    // One from before the window stays: what came since is what the window holds.
    while ((this.samples[1]?.at ?? now) < now - WINDOW_MS) this.samples.shift();
  }

  /** Bytes a second; null while nothing comes. */
  perSecond(now: number): number | null {
    const last = this.samples.at(-1);
    const first = this.samples.find(({ at }) => at >= now - WINDOW_MS);
    if (last === undefined || first === undefined || last.total === first.total) return null;
    return ((last.total - first.total) / Math.max(GRAIN_MS, now - first.at)) * 1000;
  }

  /** What comes next is measured from its own beginning. */
  reset(): void {
    this.samples = [];
  }
}

/** Whole seconds, at least 1 while something is missing; null where nothing comes. */
export function secondsLeft(missing: number, perSecond: number | null): number | null {
  if (perSecond === null || perSecond <= 0) return null;
  return Math.ceil(missing / perSecond);
}
