import type { ChatSearch } from '../../protocol/chats.js';
import { messageOf } from '../api/error.js';
import { Store } from '../shell/store.js';

export type ChatHit = ChatSearch['results'][number];

/** A pause in typing that is as long as this is taken for the end of a word. The server is near. */
const TYPING_MS = 120;

export interface ChatSearchState {
  query: string;
  /** Of the last search that worked; they stay until the next ones are there. */
  hits: readonly ChatHit[];
  /** What they were found for. */
  hitsFor: string;
  status: 'new' | 'searching' | 'ready' | 'failed';
  /** A sentence for people where the last search failed. */
  failure: string | null;
}

type Search = (query: string, signal: AbortSignal) => Promise<ChatSearch>;

/** The search in all chats. */
export class ChatSearchStore extends Store<ChatSearchState> {
  readonly #search: Search;
  #running: AbortController | null = null;
  #typing: ReturnType<typeof setTimeout> | undefined;

  constructor(search: Search) {
    super({ query: '', hits: [], hitsFor: '', status: 'new', failure: null });
    this.#search = search;
  }

  /** Searches as soon as nothing more is typed. */
  type(query: string): void {
    const before = this.snapshot().query;
    this.update({ query });
    if (query.trim() === before.trim()) return;
    clearTimeout(this.#typing);
    if (query.trim() === '') {
      this.#running?.abort();
      this.update({ hits: [], hitsFor: '', status: 'new', failure: null });
    } else {
      this.#typing = setTimeout(() => this.retry(), TYPING_MS);
    }
  }

  /** Searches now; chats may have changed meanwhile. */
  retry(): void {
    const query = this.snapshot().query.trim();
    if (query === '') return;
    clearTimeout(this.#typing);
    this.#running?.abort();
    this.#running = new AbortController();
    this.update({ status: 'searching', failure: null });
    void this.#run(query, this.#running.signal);
  }

  async #run(query: string, signal: AbortSignal): Promise<void> {
    try {
      const { results } = await this.#search(query, signal);
      if (!signal.aborted) this.update({ status: 'ready', hits: results, hitsFor: query });
    } catch (cause) {
      if (!signal.aborted) this.update({ status: 'failed', failure: messageOf(cause) });
    }
  }
}
