import { createContext } from 'react';
import { flushSync } from 'react-dom';

/** What one frame may spend on drawing while the reader scrolls, in milliseconds: a frame has 16, and paints in them. */
const FRAME_MS = 5;
/** What may be spent before something is seen at all, where nobody scrolls: what is not drawn by then follows in frames. */
const FIRST_MS = 40;
/** Milliseconds after which the reader does not scroll any more. */
const REST_MS = 150;
/** How far above and below what is seen is drawn ahead of the reader, in heights of the view. */
const AHEAD = 1;

interface Undrawn {
  /** Stands where it will be drawn. */
  element: Element;
  /** All that the block is part of. */
  text: Element;
  draw: () => void;
}

/**
 * Draws the blocks of a conversation when the reader comes near: those in sight at once, the others by and by, the
 * nearest first, and never so many in a frame that it is lost.
 */
export class DrawQueue {
  /** By the text that they are part of. */
  readonly #waiting = new Map<Element, Set<Undrawn>>();
  #view: HTMLElement | null = null;
  #hold = () => {};
  #isAsked = false;
  #frame = 0;
  #scrolledAt = Number.NEGATIVE_INFINITY;

  /** `hold` brings the view to where the reader is after heights have changed. */
  attach(view: HTMLElement, hold: () => void): () => void {
    this.#view = view;
    this.#hold = hold;
    const onScroll = () => {
      this.#scrolledAt = performance.now();
      this.#drawSoon();
    };
    const observer = new ResizeObserver(() => this.#drawSoon());
    observer.observe(view);
    view.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      this.#view = null;
      observer.disconnect();
      view.removeEventListener('scroll', onScroll);
      cancelAnimationFrame(this.#frame);
      this.#frame = 0;
    };
  }

  /** Takes a block in until it is drawn or the function that comes back is called. */
  add(undrawn: Undrawn): () => void {
    const { text } = undrawn;
    const blocks = this.#waiting.get(text) ?? new Set();
    this.#waiting.set(text, blocks.add(undrawn));
    if (!this.#isAsked) {
      this.#isAsked = true;
      // After all that React adds now, and before the paint.
      queueMicrotask(() => this.#drawSeen());
    }
    return () => this.#remove(undrawn);
  }

  #remove(undrawn: Undrawn): void {
    const blocks = this.#waiting.get(undrawn.text);
    blocks?.delete(undrawn);
    if (blocks?.size === 0) this.#waiting.delete(undrawn.text);
  }

  #drawSeen(): void {
    this.#isAsked = false;
    const scrolls = performance.now() - this.#scrolledAt < REST_MS;
    const end = performance.now() + (scrolls ? FRAME_MS : FIRST_MS);
    this.#hold();
    // What is drawn may be lower than the place that was kept for it, so that more comes into sight.
    while (this.#draw(0, end) && performance.now() < end) this.#hold();
    this.#hold();
    this.#drawSoon();
  }

  #drawSoon(): void {
    if (this.#frame !== 0 || this.#waiting.size === 0 || !this.#view) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      const isDrawn = this.#draw(AHEAD, performance.now() + FRAME_MS);
      if (isDrawn) this.#drawSoon();
    });
  }

  /** Draws what is not farther than `ahead` from the view, one block at least, until `end`; whether there was any. */
  #draw(ahead: number, end: number): boolean {
    if (!this.#view || this.#waiting.size === 0) return false;
    const view = this.#view.getBoundingClientRect();
    const reach = ahead * view.height;
    const distanceOf = (element: Element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return Math.max(top - view.bottom, view.top - bottom, 0);
    };
    const near: { undrawn: Undrawn; distance: number }[] = [];
    // Most texts are out of reach as a whole.
    for (const [text, blocks] of this.#waiting) {
      if (distanceOf(text) > reach) continue;
      for (const undrawn of blocks) {
        const distance = distanceOf(undrawn.element);
        if (distance <= reach) near.push({ undrawn, distance });
      }
    }
    near.sort((a, b) => a.distance - b.distance);
    let count = 0;
    for (const { undrawn } of near) {
      if (count > 0 && performance.now() >= end) break;
      this.#remove(undrawn);
      flushSync(undrawn.draw);
      count += 1;
    }
    return count > 0;
  }
}

/** That of the conversation; without one all is drawn at once. */
export const Drawing = createContext<DrawQueue | null>(null);
