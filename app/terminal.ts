import type { ServerState } from '../protocol/models.js';

/** What somebody who started the app in a terminal reads there: the address, and each notice once. */
export class Terminal {
  readonly #told = new Set<string>();

  ready(url: string): void {
    console.log(`Pilotlight is ready at ${url} (API under /v1)`);
  }

  follow(state: ServerState): void {
    for (const notice of state.notices) {
      if (this.#told.has(notice)) continue;
      this.#told.add(notice);
      console.error(notice);
    }
  }
}
