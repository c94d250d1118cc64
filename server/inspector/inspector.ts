/**
 * The inspector: what runs, always; what ran with its texts, while it is on. All of it is in memory and nothing is ever
 * written to disk; switching it off, or the end of the server, is the end of what it holds.
 */
import type { EngineEvent } from '../../protocol/engine.js';
import {
  DEFAULT_KEEP,
  type InspectedRequest,
  type InspectorState,
} from '../../protocol/inspector.js';
import type { EnginePool } from '../engine/pool.js';
import type { Exchange, ExchangeEnd, ExchangeObserver } from '../exchange/exchange.js';
import type { GenerationInput } from '../generation/generation.js';
import { BASE_BYTES, Capture } from './capture.js';
import { LiveRequests } from './live.js';

/** Memory for what is kept: some long prompts, or thousands of short ones, and never much of a small machine. */
const MAX_BYTES = 64 * 1024 * 1024;

export interface InspectorOptions {
  pool: Pick<EnginePool, 'status'>;
  maxBytes?: number;
}

export class Inspector implements ExchangeObserver {
  readonly #live: LiveRequests;
  readonly #maxBytes: number;
  readonly #listeners = new Set<() => void>();
  #keep = DEFAULT_KEEP;
  /** Null while it is off. Whoever works for it goes when it is switched off. */
  #on: AbortController | null = null;
  /** Of requests that are live. */
  readonly #captures = new Map<Exchange, Capture>();
  /** Of requests that have ended, in order of their ends. */
  #kept: Capture[] = [];
  /** Of all captures, and of those that have ended. */
  #bytes = 0;
  #keptBytes = 0;
  /** Replays that have not begun: `x-request-id` → whose they are, and who waits for them. */
  readonly #replays = new Map<string, { of: string; tell: (id: string) => void }>();

  constructor({ pool, maxBytes = MAX_BYTES }: InspectorOptions) {
    this.#live = new LiveRequests(pool);
    this.#maxBytes = maxBytes;
  }

  /** Aborts when it is switched off; null while it is. */
  get on(): AbortSignal | null {
    return this.#on?.signal ?? null;
  }

  /** There is something under way, so that the state changes by itself. */
  get isBusy(): boolean {
    return this.#live.size > 0;
  }

  switch(enabled: boolean, keep: number): void {
    this.#keep = keep;
    if (enabled) {
      this.#on ??= new AbortController();
      this.#trim();
    } else {
      this.#on?.abort();
      this.#on = null;
      this.#captures.clear();
      this.#kept = [];
      this.#bytes = 0;
      this.#keptBytes = 0;
    }
    this.#tell();
  }

  state(): InspectorState {
    return {
      enabled: this.#on !== null,
      keep: this.#keep,
      bytes: this.#bytes,
      max_bytes: this.#maxBytes,
      live: this.#live.list((exchange) => this.#captures.has(exchange)),
      kept: this.#kept.map((capture) => capture.summary()),
    };
  }

  /** A request that is under way; null: there is none of the id. */
  findLive(id: string): Exchange | null {
    return this.#live.find(id);
  }

  /** What is kept of a request, live or not; null: nothing is. */
  find(id: string): Capture | null {
    const captures = [...this.#captures.values(), ...this.#kept];
    return captures.find(({ head }) => head.id === id) ?? null;
  }

  detail(capture: Capture): InspectedRequest {
    const { exchange } = capture;
    return capture.detail(exchange && this.#live.row(exchange, true));
  }

  /** Hears of begins and ends and of the switch; not of progress, of which there is always some. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * A replay is about to come in with this `x-request-id`. Resolves with its own id once it has begun, and with null
   * when `signal` aborts before.
   */
  expectReplay(requestId: string, of: string, signal: AbortSignal): Promise<string | null> {
    return new Promise((resolve) => {
      const leave = () => {
        this.#replays.delete(requestId);
        resolve(null);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#replays.set(requestId, {
        of,
        tell: (id) => {
          signal.removeEventListener('abort', leave);
          resolve(id);
        },
      });
    });
  }

  began(exchange: Exchange): void {
    this.#live.began(exchange);
    const { id, requestId } = exchange.head;
    const replay = this.#replays.get(requestId) ?? null;
    this.#replays.delete(requestId);
    if (this.#on !== null && this.#take(BASE_BYTES)) {
      const take = (bytes: number) => this.#captures.get(exchange) === capture && this.#take(bytes);
      const capture = new Capture(exchange, replay?.of ?? null, take);
      this.#captures.set(exchange, capture);
    }
    replay?.tell(id);
    this.#tell();
  }

  opened(exchange: Exchange, inputs: readonly GenerationInput[]): void {
    this.#live.opened(exchange, inputs);
    const capture = this.#captures.get(exchange);
    if (!capture) return;
    exchange.showsPrompt = true;
    capture.opened(inputs);
  }

  stepped(exchange: Exchange, events: readonly EngineEvent[]): void {
    this.#live.stepped(exchange, events);
    this.#captures.get(exchange)?.stepped(events);
  }

  sent(exchange: Exchange, bytes: Uint8Array): void {
    this.#captures.get(exchange)?.sent(bytes);
  }

  ended(exchange: Exchange, end: ExchangeEnd): void {
    this.#live.ended(exchange);
    const capture = this.#captures.get(exchange);
    if (capture) {
      capture.ended(end);
      this.#captures.delete(exchange);
      this.#kept.push(capture);
      this.#keptBytes += capture.bytes;
      this.#trim();
    }
    this.#tell();
  }

  /** Makes room among those that have ended, where that is enough. */
  #take(bytes: number): boolean {
    if (this.#bytes - this.#keptBytes + bytes > this.#maxBytes) return false;
    while (this.#bytes + bytes > this.#maxBytes) this.#dropOldest();
    this.#bytes += bytes;
    return true;
  }

  #trim(): void {
    while (this.#kept.length > this.#keep) this.#dropOldest();
  }

  #dropOldest(): void {
    const bytes = this.#kept.shift()?.bytes ?? 0;
    this.#bytes -= bytes;
    this.#keptBytes -= bytes;
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
