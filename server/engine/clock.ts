/** Time as the pool sees it, so that a test can have hours pass. */

export interface Clock {
  /** Milliseconds, never going back. */
  now(): number;
  /** Calls `act` once, after `ms` milliseconds. @returns a function that calls it off. */
  after(ms: number, act: () => void): () => void;
}

/** Timers of Node run at once where they are asked for more, in milliseconds. */
const LONGEST_TIMER = 2 ** 31 - 1;

export const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  after(ms, act) {
    const timer = setTimeout(act, Math.min(ms, LONGEST_TIMER));
    return () => clearTimeout(timer);
  },
};

/** Rings at a time that may be moved; earlier where that is too far away for a timer. */
export class Alarm {
  #at: number | null = null;
  #off: () => void = () => {};

  constructor(
    private readonly clock: Clock,
    private readonly ring: () => void,
  ) {}

  /** @param at As the clock tells it; null: it is silent. */
  set(at: number | null): void {
    if (at === this.#at) return;
    this.#off();
    this.#off = () => {};
    this.#at = at;
    if (at === null) return;
    this.#off = this.clock.after(Math.max(0, at - this.clock.now()), () => {
      this.#at = null;
      this.ring();
    });
  }
}
