/** Time as those see it who wait for hours and seconds, so that a test can have them pass. */

export interface Clock {
  /** Milliseconds, never going back. */
  now(): number;
  /** Calls `act` once, after `ms` milliseconds. @returns a function that calls it off. */
  after(ms: number, act: () => void): () => void;
}

/** Timers of Node run at once where they are asked for more, in milliseconds. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Its timers keep no process alive. */
export const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  after(ms, act) {
    const timer = setTimeout(act, Math.min(ms, LONGEST_TIMER)).unref();
    return () => clearTimeout(timer);
  },
};
