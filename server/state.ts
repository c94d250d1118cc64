/** The server's state as one value, and word of its changes to everyone who shows it. */
import { setMaxListeners } from 'node:events';
import type { ServerState } from '../protocol/models.js';

/** Changes within this time are told as one, in milliseconds: under load there are hundreds a second. */
const GATHER_MS = 50;

export class StateFeed {
  private readonly listeners = new Set<(state: ServerState) => void>();
  private timer: NodeJS.Timeout | null = null;
  private lastTold = '';
  /** While it is told: everybody gets this one, however many there are. */
  private telling: ServerState | null = null;
  private readonly texts = new WeakMap<ServerState, string>();
  private readonly ending = new AbortController();

  /** @param read The state as it is now. */
  constructor(private readonly read: () => ServerState) {
    // Every open stream listens: Node takes more than ten for a leak.
    setMaxListeners(0, this.ending.signal);
  }

  /** Aborted when the server stops: there will be no more changes. */
  get ended(): AbortSignal {
    return this.ending.signal;
  }

  now(): ServerState {
    if (this.telling !== null) return this.telling;
    const state = this.read();
    // Whoever sees a state that has not been told must hear of the next one, even where that is the last told again.
    if (this.textOf(state) !== this.lastTold) this.lastTold = '';
    return state;
  }

  /** As JSON; written once for all who send it, since it has every model. */
  textOf(state: ServerState): string {
    let text = this.texts.get(state);
    if (text === undefined) {
      text = JSON.stringify(state);
      this.texts.set(state, text);
    }
    return text;
  }

  /** Something may have changed; listeners hear of it soon, and only where it has. */
  touch(): void {
    this.timer ??= setTimeout(this.tell, GATHER_MS);
  }

  /** @returns a function that ends the subscription. */
  subscribe(listener: (state: ServerState) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  close(): void {
    this.listeners.clear();
    if (this.timer) clearTimeout(this.timer);
    this.ending.abort();
  }

  private readonly tell = (): void => {
    this.timer = null;
    const state = this.read();
    const text = this.textOf(state);
    if (text === this.lastTold) return;
    this.lastTold = text;
    this.telling = state;
    try {
      for (const listener of [...this.listeners]) listener(state);
    } finally {
      this.telling = null;
    }
  };
}
