import type { Clock } from '../clock.js';

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
