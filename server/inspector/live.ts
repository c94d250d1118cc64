/** What runs and what waits at this moment. Holds counts and stages, never a text, and is there for good. */
import type { EngineEvent } from '../../protocol/engine.js';
import type { LiveRequest } from '../../protocol/inspector.js';
import type { EnginePool } from '../engine/pool.js';
import type { Exchange, ExchangeObserver } from '../exchange/exchange.js';
import type { GenerationInput } from '../generation/generation.js';
import { wireHead } from './capture.js';

type ProgressEvent = Extract<EngineEvent, { type: 'progress' }>;

interface Followed {
  exchange: Exchange;
  /** It has one answer, and no progress. */
  isCall: boolean;
  /** An engine has taken it. */
  isAccepted: boolean;
  /** The last one; of several prompts, of any of them. */
  progress: ProgressEvent | null;
  /** On the clock of `performance`; null: none yet. */
  firstTokenAt: number | null;
  lastTokenAt: number;
  /** Tokens of the step that gave the first one: the rate counts from there. */
  firstTokens: number;
}

export class LiveRequests implements ExchangeObserver {
  readonly #followed = new Map<Exchange, Followed>();

  constructor(private readonly pool: Pick<EnginePool, 'status'>) {}

  get size(): number {
    return this.#followed.size;
  }

  find(id: string): Exchange | null {
    for (const exchange of this.#followed.keys()) {
      if (exchange.head.id === id) return exchange;
    }
    return null;
  }

  /** Oldest first. */
  list(isInspected: (exchange: Exchange) => boolean): LiveRequest[] {
    return [...this.#followed.values()].map((followed) =>
      this.#row(followed, isInspected(followed.exchange)),
    );
  }

  /** Null: it has ended. */
  row(exchange: Exchange, isInspected: boolean): LiveRequest | null {
    const followed = this.#followed.get(exchange);
    return followed ? this.#row(followed, isInspected) : null;
  }

  began(exchange: Exchange): void {
    this.#followed.set(exchange, {
      exchange,
      isCall: false,
      isAccepted: false,
      progress: null,
      firstTokenAt: null,
      lastTokenAt: 0,
      firstTokens: 0,
    });
  }

  opened(exchange: Exchange, inputs: readonly GenerationInput[]): void {
    const followed = this.#followed.get(exchange);
    if (followed) followed.isCall = inputs.length === 0;
  }

  stepped(exchange: Exchange, events: readonly EngineEvent[]): void {
    const followed = this.#followed.get(exchange);
    if (!followed) return;
    let tokens = 0;
    for (const event of events) {
      if (event.type === 'accepted') followed.isAccepted = true;
      if (event.type === 'progress') followed.progress = event;
      if (event.type === 'token') tokens++;
    }
    if (tokens === 0) return;
    followed.lastTokenAt = performance.now();
    if (followed.firstTokenAt !== null) return;
    followed.firstTokenAt = followed.lastTokenAt;
    followed.firstTokens = tokens;
  }

  ended(exchange: Exchange): void {
    this.#followed.delete(exchange);
  }

  #row(followed: Followed, inspected: boolean): LiveRequest {
    const { head, model, counts, isCancelled } = followed.exchange;
    return {
      ...wireHead(head, model),
      ...this.#stage(followed),
      prompt_tokens: counts.promptTokens,
      output_tokens: counts.outputTokens,
      tokens_per_s: tokensPerSecond(followed),
      cancelled: isCancelled,
      inspected,
    };
  }

  #stage(followed: Followed): Stage {
    const { exchange, isCall, isAccepted, progress, firstTokenAt } = followed;
    const { model, local } = exchange;
    if (model === null) return { stage: 'reading', progress: null, ahead: null };
    if (local === null) return RUNNING;
    if (firstTokenAt !== null) return RUNNING;
    if (progress !== null && progress.prefilled > 0) {
      const done = progress.prefilled / progress.promptTokens;
      return { stage: 'prefill', progress: hundredths(done), ahead: null };
    }
    if (isAccepted) return { stage: 'queued', progress: null, ahead: progress?.queued ?? 0 };
    const engine = this.pool.status(local);
    if (engine.status !== 'loaded') {
      return { stage: 'loading', progress: hundredths(engine.progress ?? 0), ahead: null };
    }
    return isCall ? RUNNING : { stage: 'queued', progress: null, ahead: null };
  }
}

type Stage = Pick<LiveRequest, 'stage' | 'progress' | 'ahead'>;

const RUNNING: Stage = { stage: 'running', progress: null, ahead: null };

function tokensPerSecond({ exchange, firstTokenAt, lastTokenAt, firstTokens }: Followed): number {
  const tokens = exchange.counts.outputTokens - firstTokens;
  const ms = firstTokenAt === null ? 0 : lastTokenAt - firstTokenAt;
  return ms > 0 && tokens > 0 ? hundredths((tokens * 1000) / ms) : 0;
}

const hundredths = (value: number) => Math.round(value * 100) / 100;
