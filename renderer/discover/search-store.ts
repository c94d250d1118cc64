import type { HubModel, HubModelPage } from '../../protocol/hub.js';
import { messageOf } from '../api/error.js';
import type { HubQuery, HubSort } from '../api/hub.js';
import { Store } from '../shell/store.js';

/** A pause in typing that is as long as this is taken for the end of a word. */
export const TYPING_MS = 300;

export interface SearchState {
  query: string;
  sort: HubSort;
  /** Of the last search that worked: they stay while the hub cannot be reached. */
  models: readonly HubModel[];
  nextCursor: string | null;
  status: 'new' | 'searching' | 'adding' | 'ready' | 'failed';
  /** A sentence for people where the last search failed. */
  failure: string | null;
}

type Search = (query: HubQuery, signal: AbortSignal) => Promise<HubModelPage>;

/** The search for models on the hub. */
export class SearchStore extends Store<SearchState> {
  readonly #search: Search;
  #running: AbortController | null = null;
  #typing: ReturnType<typeof setTimeout> | undefined;

  constructor(search: Search) {
    super({
      ...{ query: '', sort: 'trending', models: [], nextCursor: null },
      ...{ status: 'new', failure: null },
    });
    this.#search = search;
  }

  /** The first search; later ones come of `type`, `sortBy` and `retry`. */
  start(): void {
    if (this.snapshot().status === 'new') this.#begin(null);
  }

  /** Searches as soon as nothing more is typed. */
  type(query: string): void {
    const before = this.snapshot().query;
    this.update({ query });
    if (query.trim() === before.trim()) return;
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.#begin(null), TYPING_MS);
  }

  sortBy(sort: HubSort): void {
    this.update({ sort });
    this.#begin(null);
  }

  retry(): void {
    this.#begin(null);
  }

  /** The next page, added to what is there. */
  more(): void {
    const { status, nextCursor } = this.snapshot();
    if (nextCursor !== null && status !== 'searching' && status !== 'adding')
      this.#begin(nextCursor);
  }

  #begin(cursor: string | null): void {
    clearTimeout(this.#typing);
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    this.update({ status: cursor === null ? 'searching' : 'adding', failure: null });
    void this.#run(cursor, running.signal);
  }

  async #run(cursor: string | null, signal: AbortSignal): Promise<void> {
    const { query, sort } = this.snapshot();
    try {
      const page = await this.#search({ search: query.trim(), sort, cursor }, signal);
      if (signal.aborted) return;
      const models = cursor === null ? page.models : merged(this.snapshot().models, page.models);
      this.update({ status: 'ready', models, nextCursor: page.next_cursor });
    } catch (cause) {
      if (!signal.aborted) this.update({ status: 'failed', failure: messageOf(cause) });
    }
  }
}

/** A repo that moved to the next page meanwhile comes twice; it is listed once. */
function merged(before: readonly HubModel[], more: readonly HubModel[]): HubModel[] {
  const known = new Set(before.map(({ repo }) => repo));
  return [...before, ...more.filter(({ repo }) => !known.has(repo))];
}
