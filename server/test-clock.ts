/** Time that passes as a test says. */
import type { Clock } from './clock.js';

export class TestClock implements Clock {
  #now = 0;
  readonly #timers = new Set<{ at: number; act: () => void }>();

  now(): number {
    return this.#now;
  }

  after(ms: number, act: () => void): () => void {
    const timer = { at: this.#now + ms, act };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Milliseconds until the next timer is due; null: there is none. */
  get next(): number | null {
    const due = [...this.#timers].map(({ at }) => at);
    return due.length === 0 ? null : Math.min(...due) - this.#now;
  }

  /** Timers that are due by then act in their order. */
  pass(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const [next] = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (!next) break;
      this.#timers.delete(next);
      this.#now = next.at;
      next.act();
    }
    this.#now = end;
  }
}
