/** What models and their engine processes do at the moment of a scrape. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { LoadedReport, ModelUse } from '../engine/model-use.js';
import type { EnginePool } from '../engine/pool.js';
import type { Library } from '../library/library.js';

/** Milliseconds that engines have to tell how they are: they take less than one, and Prometheus waits for ten seconds. */
const REPORT_LIMIT_MS = 1_000;

function makeGauges(registry: Registry) {
  const gauge = <Label extends string = never>(name: string, help: string, more: Label[] = []) =>
    new Gauge({
      name: `pilotlight_${name}`,
      help,
      labelNames: ['model', ...more] as const,
      registers: [registry],
    });
  return {
    loaded: gauge('model_loaded', '1: it is in memory. 0: it is in the models folder only.'),
    memory: gauge(
      'model_memory_bytes',
      'What a loaded model takes, as it was planned. part: weights, kv (KV cache), compute. device: CPU is main memory.',
      ['device', 'part'],
    ),
    running: gauge('requests_running', 'Requests that a model works on.'),
    waiting: gauge('requests_waiting', 'Requests that wait for a model, a slot or their turn.'),
    slots: gauge('slots', 'Sequences that a loaded model can compute at the same time.'),
    busySlots: gauge('slots_busy', 'Of these, in use: each choice of a request takes one.'),
    context: gauge('context_tokens', 'Context of each sequence of a loaded model.'),
    kvCapacity: gauge('kv_cache_capacity_tokens', 'Size of the KV cache, over all sequences.'),
    kvTokens: gauge(
      'kv_cache_tokens',
      'What the KV cache holds. state: busy (of running requests), kept (beginnings that the next prompts may share; they make room when it is needed).',
      ['state'],
    ),
    stored: gauge('stored_prefixes', 'Beginnings of prompts that are kept in main memory.'),
    storedBytes: gauge('stored_prefix_bytes', 'What they take.'),
    responding: gauge(
      'engine_responding',
      '1: the engine process of a loaded model has told how it is. 0: it did not within a second, and what only it knows is left out.',
    ),
    resident: gauge(
      'engine_resident_memory_bytes',
      'Main memory of the engine process, pages of the model file included.',
    ),
  };
}

function makeCounters(registry: Registry) {
  const counter = (name: string, help: string) =>
    new GrowingCounter(
      new Counter({
        name: `pilotlight_${name}`,
        help,
        labelNames: ['model'],
        registers: [registry],
      }),
    );
  return {
    loads: counter('model_loads_total', 'How often a model was loaded.'),
    crashes: counter('engine_crashes_total', 'Engine processes that ended by themselves.'),
    steps: counter('engine_steps_total', 'Batches that an engine computed.'),
    prefilled: counter('prefilled_tokens_total', 'Tokens of prompts that were computed.'),
    interrupted: counter(
      'preemptions_total',
      'How often a request gave up its place in a shared KV cache for a while, because others needed the room.',
    ),
    cpu: counter('engine_cpu_seconds_total', 'CPU time of engine processes.'),
  };
}

/** Follows numbers that begin at 0 again with each load of a model, without ever going back. */
export class GrowingCounter {
  readonly #seen = new Map<string, { load: number; value: number }>();

  constructor(private readonly counter: Counter<'model'>) {}

  /** @param load Which load of the model it is a number of; a later one is larger. */
  follow(model: string, load: number, value: number): void {
    const seen = this.#seen.get(model);
    const before = seen?.load === load ? seen.value : 0;
    // Answers to two scrapes at the same time may cross.
    if (seen !== undefined && (seen.load > load || before > value)) return;
    this.#seen.set(model, { load, value });
    this.counter.inc({ model }, value - before);
  }
}

export class EngineMetrics {
  readonly #gauges: ReturnType<typeof makeGauges>;
  readonly #counters: ReturnType<typeof makeCounters>;

  constructor(
    registry: Registry,
    private readonly pool: Pick<EnginePool, 'uses' | 'reports'>,
    private readonly library: Pick<Library, 'models'>,
  ) {
    this.#gauges = makeGauges(registry);
    this.#counters = makeCounters(registry);
  }

  /** Brings all up to now. */
  async refresh(): Promise<void> {
    const reports = await this.pool.reports(AbortSignal.timeout(REPORT_LIMIT_MS));
    for (const gauge of Object.values(this.#gauges)) gauge.reset();
    for (const { id } of this.library.models()) this.#gauges.loaded.set({ model: id }, 0);
    for (const use of this.pool.uses()) this.#take(use, reports.get(use.modelId));
  }

  #take(use: ModelUse, report: LoadedReport | undefined): void {
    const { modelId: model, info } = use;
    this.#gauges.running.set({ model }, use.running);
    this.#gauges.waiting.set({ model }, use.waiting);
    // Over all loads.
    this.#counters.loads.follow(model, 0, use.loads);
    this.#counters.crashes.follow(model, 0, use.crashes);
    if (info === null) return;
    this.#gauges.loaded.set({ model }, 1);
    this.#gauges.context.set({ model }, info.contextLength);
    this.#gauges.kvCapacity.set({ model }, info.kvCells);
    for (const { name: device, weightsBytes, kvBytes, computeBytes } of info.memory) {
      this.#gauges.memory.set({ model, device, part: 'weights' }, weightsBytes);
      this.#gauges.memory.set({ model, device, part: 'kv' }, kvBytes);
      this.#gauges.memory.set({ model, device, part: 'compute' }, computeBytes);
    }
    this.#gauges.responding.set({ model }, report === undefined ? 0 : 1);
    if (report !== undefined) this.#report(model, report);
  }

  #report(model: string, report: LoadedReport): void {
    const gauges = this.#gauges;
    gauges.slots.set({ model }, report.slots);
    gauges.busySlots.set({ model }, report.running);
    gauges.kvTokens.set({ model, state: 'busy' }, report.kvCellsBusy);
    gauges.kvTokens.set({ model, state: 'kept' }, report.kvCellsUsed - report.kvCellsBusy);
    gauges.stored.set({ model }, report.storedPrefixes);
    gauges.storedBytes.set({ model }, report.storedBytes);
    gauges.resident.set({ model }, report.residentBytes);
    const counters = this.#counters;
    const { load } = report;
    counters.steps.follow(model, load, report.steps);
    counters.prefilled.follow(model, load, report.prefillTokens);
    counters.interrupted.follow(model, load, report.interrupted);
    counters.cpu.follow(model, load, report.cpuSeconds);
  }
}
