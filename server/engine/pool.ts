/** The one place that knows engines: runs requests on models, which it has loaded for them. */
import type { EngineCallName, EngineCalls } from '../../protocol/engine-calls.js';
import type { ModelInfo } from '../../protocol/engine-load.js';
import {
  type Generation,
  GenerationError,
  type GenerationInput,
} from '../generation/generation.js';
import { type GenerationObserver, GenerationStream } from '../generation/stream.js';
import type { LibraryModel } from '../library/model.js';
import { QUEUE_MAX, shuttingDown } from './loader.js';
import {
  isRunning,
  type LoadedReport,
  loadedReport,
  type ModelUse,
  modelUse,
} from './model-use.js';
import {
  bytesOf,
  type EngineStatus,
  newEntry,
  type PoolEntry,
  type Wishes,
  waitsForMemory,
} from './pool-entry.js';
import { Residency, type ResidencyOptions } from './residency.js';

export interface EnginePoolOptions extends ResidencyOptions {
  /** When a model was used last in earlier starts, unix seconds; null: never. */
  lastUse?: (modelId: string) => number | null;
}

export class EnginePool {
  readonly #options: EnginePoolOptions;
  readonly #residency: Residency;
  /** With the id of the model of each. */
  readonly #generations = new Map<GenerationStream, string>();

  constructor(options: EnginePoolOptions) {
    this.#options = options;
    this.#residency = new Residency(options);
  }

  status(model: LibraryModel): EngineStatus {
    const entry = this.#residency.entries.get(model.id) ?? newEntry(model);
    const { status, progress, reason, info } = entry;
    const use = this.#residency.entries.has(model.id)
      ? this.#use(entry)
      : { running: 0, waiting: 0 };
    return {
      ...{ status, progress },
      lastUsedAt: entry.lastUsedAt ?? this.#options.lastUse?.(model.id) ?? null,
      reason: waitsForMemory(entry) && status === 'loading' ? WAITS : reason,
      contextLength: info?.contextLength ?? null,
      devices: info?.devices ?? null,
      memoryBytes: info && bytesOf(info).all,
      running: use.running,
      waiting: use.waiting,
      isPinned: this.#residency.rules(entry).isPinned,
      isStale: this.#residency.isStale(entry),
    };
  }

  /** What its engine says of a loaded model; null while it is not loaded. */
  info(model: LibraryModel): ModelInfo | null {
    return this.#residency.info(model);
  }

  /** Milliseconds from now until a model leaves memory, if nobody asks for it from now on; null: never. */
  expiresIn(model: LibraryModel): number | null {
    return this.#residency.expiresIn(model);
  }

  /**
   * Loads a model, or waits for the load that is under way. Rejects with a GenerationError; with `cancelled` at once when
   * `signal` aborts, and a load that has begun goes on.
   * @param wishes See `wish`. One that is loaded with other settings is loaded anew, when its answers have ended.
   */
  load(model: LibraryModel, signal: AbortSignal | null = null, wishes: Wishes = {}): Promise<void> {
    return this.#residency.load(model, signal, wishes);
  }

  /** How it is to be loaded and how long it stays: until it is unloaded, beside what the rules say. */
  wish(model: LibraryModel, wishes: Wishes): void {
    this.#residency.wish(model, wishes);
  }

  /** What the rules or the limits say may have changed. */
  settingsChanged(): void {
    this.#residency.settingsChanged();
  }

  /** Runs a request, loading the model first where needed. Never throws: see Generation. */
  generate(
    model: LibraryModel,
    input: GenerationInput,
    signal: AbortSignal,
    observer: GenerationObserver | null = null,
  ): Generation {
    const stream = new GenerationStream(input.choices, observer);
    this.#generations.set(stream, model.id);
    const entry = this.#residency.entry(model);
    entry.users++;
    let leave = () => {};
    stream.onEnd = (answered) => {
      this.#generations.delete(stream);
      entry.users--;
      if (answered) entry.backoff.succeeded();
      leave();
      this.#residency.left(entry);
      this.#options.onChange();
    };
    stream.onRunning = this.#options.onChange;
    stream.setProgress(() =>
      waitsForMemory(entry)
        ? { stage: 'memory' }
        : { stage: 'loading', fraction: entry.progress ?? 0 },
    );
    this.#options.onChange();
    if (this.#isFull(entry)) {
      stream.refuse(queueFull());
      return stream;
    }
    void this.#start(entry, model, input, signal, stream, (left) => {
      leave = left;
    });
    return stream;
  }

  /**
   * Asks a model something that has one answer (see EngineCalls), loading the model first where needed. Rejects with a
   * GenerationError; with `cancelled` at once when `signal` aborts, also while the model loads.
   */
  async call<Name extends EngineCallName>(
    model: LibraryModel,
    name: Name,
    request: EngineCalls[Name]['request'],
    signal: AbortSignal,
  ): Promise<EngineCalls[Name]['result']> {
    const entry = this.#residency.entry(model);
    entry.users++;
    try {
      if (this.#isFull(entry)) throw queueFull();
      const { engine, leave } = await this.#residency.enter(entry, model, signal, true);
      this.#options.onChange();
      try {
        const result = await engine.call(name, request, signal);
        entry.backoff.succeeded();
        return result;
      } finally {
        leave();
      }
    } finally {
      entry.users--;
      this.#residency.left(entry);
    }
  }

  /**
   * Takes no new requests and leaves when its answers have ended; whoever asks meanwhile or later loads it again. A load
   * that nobody's request waits for is given up. Resolves when it is gone.
   */
  release(model: LibraryModel): Promise<void> {
    return this.#residency.release(model);
  }

  /** The library has changed: models that are in it no more leave as soon as they are idle. */
  keepOnly(modelIds: ReadonlySet<string>): void {
    this.#residency.keepOnly(modelIds);
  }

  /** Generations that produce, and those that wait for a model, a slot or their prompt. */
  counts(): { running: number; waiting: number } {
    let running = 0;
    for (const stream of this.#generations.keys()) if (isRunning(stream)) running++;
    return { running, waiting: this.#generations.size - running };
  }

  /** Sentences for people about RPC workers that loaded models were to use and cannot. */
  notices(): string[] {
    const engines = [...this.#residency.entries.values()].map(({ engine }) => engine);
    return [...new Set(engines.flatMap((engine) => engine?.rpcProblems ?? []))];
  }

  /** Of every model that somebody has asked for. */
  uses(): ModelUse[] {
    return [...this.#residency.entries.values()].map((entry) => this.#use(entry));
  }

  /** Bytes that loaded models take, over all devices, and that they may take together now. */
  memory(): { used: number; budget: number } {
    return this.#residency.memory();
  }

  /** Bytes of main memory that a model may take, or takes already. */
  memoryFor(model: LibraryModel): number {
    return this.#residency.memoryFor(model);
  }

  /** What the engines of loaded models say of themselves. Those that have not answered when `signal` aborts are left out. */
  async reports(signal: AbortSignal): Promise<Map<string, LoadedReport>> {
    const asked = [...this.#residency.entries].map(
      async ([modelId, entry]) => [modelId, await loadedReport(entry, signal)] as const,
    );
    const reports = new Map<string, LoadedReport>();
    for (const [modelId, report] of await Promise.all(asked)) {
      if (report !== null) reports.set(modelId, report);
    }
    return reports;
  }

  /** Ends every generation with an error and every engine process. */
  async close(): Promise<void> {
    const closed = this.#residency.close();
    // Before their engines do, which would only say that their models are unloaded.
    const { message } = shuttingDown();
    for (const stream of [...this.#generations.keys()]) stream.cut('shutting_down', message);
    await closed;
    for (const stream of [...this.#generations.keys()]) stream.refuse(shuttingDown());
  }

  #use(entry: PoolEntry): ModelUse {
    const own = [...this.#generations].filter(([, id]) => id === entry.model.id);
    return modelUse(
      entry,
      own.map(([stream]) => stream),
    );
  }

  #isFull(entry: PoolEntry): boolean {
    return entry.users > this.#residency.rules(entry).load.parallel + QUEUE_MAX;
  }

  async #start(
    entry: PoolEntry,
    model: LibraryModel,
    input: GenerationInput,
    signal: AbortSignal,
    stream: GenerationStream,
    onEntered: (leave: () => void) => void,
  ): Promise<void> {
    const leave = () => stream.cancel();
    if (signal.aborted) return leave();
    signal.addEventListener('abort', leave, { once: true });
    try {
      const entered = await this.#residency.enter(entry, model, signal, false);
      if (stream.ended) {
        entered.leave();
        return this.#residency.left(entry);
      }
      onEntered(entered.leave);
      entered.engine.run(input, signal, stream);
      this.#options.onChange();
    } catch (error) {
      stream.refuse(
        error instanceof GenerationError
          ? error
          : new GenerationError('load_failed', (error as Error).message),
      );
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }
}

const WAITS = 'It waits for memory that other models take.';

function queueFull(): GenerationError {
  return new GenerationError(
    'queue_full',
    `${QUEUE_MAX} requests are waiting already. Try again later.`,
  );
}
