/** A model that crashes again and again is not started in a tight loop. Pure. */

/** First waiting time, milliseconds; it doubles with each further crash in a row. */
const FIRST_DELAY = 1000;
const LONGEST_DELAY = 30_000;

export class CrashBackoff {
  #crashes = 0;
  #lastCrash = 0;

  /** `now` in milliseconds, on any clock. */
  crashed(now: number): void {
    this.#crashes++;
    this.#lastCrash = now;
  }

  /** An answer came through: the next crash is a first one again. */
  succeeded(): void {
    this.#crashes = 0;
  }

  /** Milliseconds to wait before the next start: none after a first crash. */
  delay(now: number): number {
    if (this.#crashes < 2) return 0;
    const delay = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (this.#crashes - 2));
    return Math.max(0, this.#lastCrash + delay - now);
  }
}
