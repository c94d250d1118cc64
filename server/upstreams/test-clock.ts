import type { Clock } from './clock.js';

/** A clock that stands still until it is turned. */
export class TestClock implements Clock {
  #now = 1_000_000;
  readonly #due = new Set<{ at: number; run: () => void }>();

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const entry = { at: this.#now + ms, run };
    this.#due.add(entry);
    return () => this.#due.delete(entry);
  }

  /** Milliseconds until the next thing is due; null: nothing is. */
  get next(): number | null {
    return this.#due.size === 0
      ? null
      : Math.min(...[...this.#due].map(({ at }) => at)) - this.#now;
  }

  turn(ms: number): void {
    this.#now += ms;
    for (const entry of [...this.#due]) {
      if (entry.at > this.#now) continue;
      this.#due.delete(entry);
      entry.run();
    }
  }
}
