/** What Prometheus scrapes (https://prometheus.io/docs/instrumenting/exposition_formats). */
import type { Request, Response } from 'express';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { EnginePool } from '../engine/pool.js';
import type { ExchangeObserver } from '../exchange/exchange.js';
import type { Library } from '../library/library.js';
import type { Services } from '../services.js';
import { EngineMetrics } from './engine-metrics.js';
import { ExchangeMetrics } from './exchange-metrics.js';

export interface MetricsOptions {
  pool: EnginePool;
  library: Library;
  /** Pilotlight's own. */
  version: string;
}

export class Metrics {
  /** To be called for each request to a model. */
  readonly observer: ExchangeObserver;
  readonly #registry = new Registry();
  readonly #engines: EngineMetrics;
  readonly #loop: Gauge;
  #loopBefore = performance.eventLoopUtilization();
  #isScraped = false;

  constructor({ pool, library, version }: MetricsOptions) {
    new Gauge({
      name: 'pilotlight_build_info',
      help: 'Always 1.',
      labelNames: ['version'],
      registers: [this.#registry],
    }).set({ version }, 1);
    this.#loop = new Gauge({
      name: 'pilotlight_event_loop_utilization_ratio',
      help: "Share of the time since the scrape before in which the server's event loop had work.",
      registers: [this.#registry],
    });
    this.observer = new ExchangeMetrics(this.#registry);
    this.#engines = new EngineMetrics(this.#registry, pool, library);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  async scrape(): Promise<string> {
    if (!this.#isScraped) {
      this.#isScraped = true;
      // Only now: it wakes the process a hundred times a second, which nobody should pay for who does not look.
      collectDefaultMetrics({ register: this.#registry });
    }
    this.#measureLoop();
    await this.#engines.refresh();
    return this.#registry.metrics();
  }

  #measureLoop(): void {
    const now = performance.eventLoopUtilization();
    this.#loop.set(performance.eventLoopUtilization(now, this.#loopBefore).utilization);
    this.#loopBefore = now;
  }
}

/** GET /metrics */
export function metrics({ metrics: all }: Services) {
  return async (_req: Request, res: Response): Promise<void> => {
    const text = await all.scrape();
    res.set('content-type', all.contentType).send(text);
  };
}
