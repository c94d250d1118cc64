import type { WebContents } from 'electron';
import type { BridgeEvent, BridgeEvents } from '../protocol/bridge.js';

/** What main tells a page: at once while it listens, else as soon as it does, the newest of each kind. */
export class PageMail {
  readonly #page: WebContents;
  readonly #kept = new Map<BridgeEvent, BridgeEvents[BridgeEvent]>();
  #isListening = false;

  constructor(page: WebContents) {
    this.#page = page;
    page.on('did-start-navigation', ({ isMainFrame, isSameDocument }) => {
      if (isMainFrame && !isSameDocument) this.#isListening = false;
    });
    page.on('render-process-gone', () => {
      this.#isListening = false;
    });
  }

  send<E extends BridgeEvent>(event: E, value: BridgeEvents[E]): void {
    if (this.#page.isDestroyed()) return;
    if (this.#isListening) this.#page.send(event, value);
    else this.#kept.set(event, value);
  }

  /** The page listens from now on. */
  deliver(): void {
    this.#isListening = true;
    for (const [event, value] of this.#kept) this.#page.send(event, value);
    this.#kept.clear();
  }
}
