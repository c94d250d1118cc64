/** Counts and times of requests to models, at the pace of the engine: how fast a client reads does not show. */
import { Counter, Histogram, type Registry } from 'prom-client';
import type { EngineEvent } from '../../protocol/engine.js';
import type {
  Exchange,
  ExchangeCounts,
  ExchangeEnd,
  ExchangeObserver,
} from '../exchange/exchange.js';
import { outcomeOf } from '../exchange/outcome.js';

/** Seconds: from a short step of a small model on a GPU to that of a large one on a processor. */
const STEP_BUCKETS = [
  0.002, 0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 1, 2.5,
];

/** Seconds: from a cached prompt to a long one on a processor, or a model that has to be loaded first. */
const WAIT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160];

/** Seconds: from one token to thousands. */
const ANSWER_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640];

/** Gaps that a request keeps until they are counted together: one at a time is a cost of each token (see docs/decisions). */
const GAPS_KEPT = 256;

/** @param collect Counts what running requests have kept; called before a metric is read. */
function makeMetrics(registry: Registry, collect: () => void) {
  const shared = { registers: [registry], collect };
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name: `pilotlight_${name}`, help, labelNames, ...shared });
  const histogram = (name: string, help: string, labelNames: string[], buckets: number[]) =>
    new Histogram({ name: `pilotlight_${name}`, help, labelNames, buckets, ...shared });
  return {
    requests: counter(
      'requests_total',
      'Requests that have ended. outcome: answered, failed (refused too), left (the client was gone before), cancelled (by the person here). model is empty where it was refused before one was chosen.',
      ['route', 'model', 'outcome'],
    ),
    errors: counter(
      'request_errors_total',
      'Requests that failed, by the code of their error, else its HTTP status.',
      ['code'],
    ),
    promptTokens: counter(
      'prompt_tokens_total',
      'Tokens of prompts, those from the cache included.',
      ['model'],
    ),
    cachedTokens: counter(
      'cached_prompt_tokens_total',
      'Tokens of prompts that were taken from the KV cache; counted when the answer ends.',
      ['model'],
    ),
    outputTokens: counter('output_tokens_total', 'Tokens that were sampled.', ['model']),
    prefixHits: counter(
      'prefix_hits_total',
      'Requests with an answer, a part of whose prompt was taken from the KV cache.',
      ['model'],
    ),
    prefixMisses: counter(
      'prefix_misses_total',
      'Requests with an answer, whose whole prompt had to be computed.',
      ['model'],
    ),
    draftedTokens: counter('drafted_tokens_total', 'Tokens that were guessed and checked.', [
      'model',
    ]),
    acceptedTokens: counter(
      'accepted_draft_tokens_total',
      'Guessed tokens that are part of an answer.',
      ['model'],
    ),
    firstToken: histogram(
      'time_to_first_token_seconds',
      'From the admission of a request to its first token; loading its model counts.',
      ['model'],
      WAIT_BUCKETS,
    ),
    interToken: histogram(
      'inter_token_latency_seconds',
      'Between two tokens of one choice. Tokens of one step share the time since the step before.',
      ['model'],
      STEP_BUCKETS,
    ),
    queue: histogram(
      'queue_seconds',
      'From the acceptance of a prompt to its first batch; of requests with an answer.',
      ['model'],
      WAIT_BUCKETS,
    ),
    prefill: histogram(
      'prefill_seconds',
      'From the first batch of a prompt to its last; of requests with an answer.',
      ['model'],
      WAIT_BUCKETS,
    ),
    duration: histogram(
      'request_duration_seconds',
      'From admission to the last byte; of requests that were answered in whole.',
      ['route', 'model'],
      ANSWER_BUCKETS,
    ),
  };
}

type ExchangeMetricSet = ReturnType<typeof makeMetrics>;

/** Bound once: the labels are looked at with every step otherwise. Counters begin at 0, so that shares can be told. */
function metersOf(set: ExchangeMetricSet, model: string) {
  const counter = (metric: Counter<'model'>) => {
    const meter = metric.labels(model);
    meter.inc(0);
    return meter;
  };
  return {
    promptTokens: counter(set.promptTokens),
    cachedTokens: counter(set.cachedTokens),
    outputTokens: counter(set.outputTokens),
    prefixHits: counter(set.prefixHits),
    prefixMisses: counter(set.prefixMisses),
    draftedTokens: counter(set.draftedTokens),
    acceptedTokens: counter(set.acceptedTokens),
    firstToken: set.firstToken.labels(model),
    interToken: set.interToken.labels(model),
    queue: set.queue.labels(model),
    prefill: set.prefill.labels(model),
  };
}

type ModelMeters = ReturnType<typeof metersOf>;

interface ChoicePace {
  /** Of its latest step with a token, on the clock of performance.now(); null: it had none. */
  steppedAt: number | null;
  /** Tokens of the step that is being looked at. */
  tokens: number;
}

/** What has been counted of a request so far. */
interface Flow {
  meters: ModelMeters;
  counted: ExchangeCounts;
  hasToken: boolean;
  /** By the index of the choice. */
  paces: Map<number, ChoicePace>;
  /** Seconds between its latest tokens, not counted yet. */
  gaps: number[];
}

export class ExchangeMetrics implements ExchangeObserver {
  readonly #metrics: ExchangeMetricSet;
  readonly #meters = new Map<string, ModelMeters>();
  readonly #flows = new Map<Exchange, Flow>();

  constructor(
    registry: Registry,
    /** Milliseconds on a monotonic clock. */
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#metrics = makeMetrics(registry, () => {
      for (const [exchange, flow] of this.#flows) settle(flow, exchange.counts);
    });
  }

  opened(exchange: Exchange): void {
    if (exchange.model === null || this.#flows.has(exchange)) return;
    const id = exchange.model;
    const meters = this.#meters.get(id) ?? metersOf(this.#metrics, id);
    this.#meters.set(id, meters);
    this.#flows.set(exchange, {
      meters,
      counted: { promptTokens: 0, cachedTokens: 0, outputTokens: 0 },
      hasToken: false,
      paces: new Map(),
      gaps: [],
    });
  }

  stepped(exchange: Exchange, events: readonly EngineEvent[]): void {
    const flow = this.#flows.get(exchange);
    if (flow === undefined) return;
    let hasTokens = false;
    for (const event of events) {
      if (event.type === 'token') {
        hasTokens = true;
        paceOf(flow, event.seq).tokens++;
      } else if (event.type === 'done') {
        countDrafts(flow.meters, event.timings);
      }
    }
    if (hasTokens) this.#pace(exchange, flow);
    if (flow.gaps.length >= GAPS_KEPT) settle(flow, exchange.counts);
  }

  ended(exchange: Exchange, end: ExchangeEnd): void {
    const { route } = exchange.head;
    const model = exchange.model ?? '';
    const outcome = outcomeOf(exchange, end);
    this.#metrics.requests.inc({ route, model, outcome });
    if (outcome === 'failed') {
      this.#metrics.errors.inc({ code: end.errorCode ?? String(end.status) });
    }
    const flow = this.#flows.get(exchange);
    this.#flows.delete(exchange);
    if (flow === undefined) return;
    settle(flow, end);
    if (outcome === 'answered') {
      this.#metrics.duration.observe({ route, model }, end.totalMs / 1000);
    }
    if (!flow.hasToken) return;
    (end.cachedTokens > 0 ? flow.meters.prefixHits : flow.meters.prefixMisses).inc();
    if (end.timings === null) return;
    flow.meters.queue.observe(end.timings.queueMs / 1000);
    flow.meters.prefill.observe(end.timings.prefillMs / 1000);
  }

  #pace(exchange: Exchange, flow: Flow): void {
    const { meters } = flow;
    const now = this.now();
    if (!flow.hasToken) meters.firstToken.observe(exchange.ageMs / 1000);
    flow.hasToken = true;
    for (const pace of flow.paces.values()) {
      if (pace.tokens === 0) continue;
      if (pace.steppedAt !== null) {
        const seconds = (now - pace.steppedAt) / 1000 / pace.tokens;
        for (let i = 0; i < pace.tokens; i++) flow.gaps.push(seconds);
      }
      pace.steppedAt = now;
      pace.tokens = 0;
    }
  }
}

function paceOf({ paces }: Flow, choice: number): ChoicePace {
  let pace = paces.get(choice);
  if (pace === undefined) {
    pace = { steppedAt: null, tokens: 0 };
    paces.set(choice, pace);
  }
  return pace;
}

function countDrafts(
  meters: ModelMeters,
  { draftedTokens, acceptedTokens }: { draftedTokens: number; acceptedTokens: number },
): void {
  if (draftedTokens === 0) return;
  meters.draftedTokens.inc(draftedTokens);
  meters.acceptedTokens.inc(acceptedTokens);
}

/** Counts what is new: who looks in the middle of a long answer sees how fast it goes. */
function settle({ meters, counted, gaps }: Flow, counts: Readonly<ExchangeCounts>): void {
  for (const gap of gaps) meters.interToken.observe(gap);
  gaps.length = 0;
  for (const name of ['promptTokens', 'cachedTokens', 'outputTokens'] as const) {
    const fresh = counts[name] - counted[name];
    if (fresh === 0) continue;
    meters[name].inc(fresh);
    counted[name] = counts[name];
  }
}
