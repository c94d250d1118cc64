import type { Preferences } from '../../protocol/preferences.js';
import { Store } from '../shell/store.js';

/** Sends a change, and gives what holds then. */
type Send = (patch: Partial<Preferences>) => Promise<Preferences>;

/**
 * The preferences as they are shown: what the server said last, and on top what was changed here and is on its way. So
 * a change shows at once, and one that is refused goes back.
 */
export class PreferenceStore extends Store<Preferences> {
  readonly #send: Send;
  #server: Preferences;
  #underWay: Partial<Preferences>[] = [];

  constructor(first: Preferences, send: Send) {
    super(first);
    this.#server = first;
    this.#send = send;
  }

  /** The server's word. */
  follow(server: Preferences): void {
    if (server === this.#server) return;
    this.#server = server;
    this.#show();
  }

  /** @throws ApiError with a sentence for people; it shows what held before again. */
  async change(patch: Partial<Preferences>): Promise<void> {
    this.#underWay = [...this.#underWay, patch];
    this.#show();
    try {
      this.#server = await this.#send(patch);
    } finally {
      this.#underWay = this.#underWay.filter((other) => other !== patch);
      this.#show();
    }
  }

  #show(): void {
    this.update(Object.assign({}, this.#server, ...this.#underWay));
  }
}
