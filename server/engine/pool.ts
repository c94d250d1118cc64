import type { Logger } from 'pino';
import type { EngineCallName, EngineCalls } from '../../protocol/engine-calls.js';
import type { LoadOptions, ModelInfo } from '../../protocol/engine-load.js';
import {
  type Generation,
  GenerationError,
  type GenerationInput,
} from '../generation/generation.js';
import { type GenerationObserver, GenerationStream } from '../generation/stream.js';
import type { LibraryModel } from '../library/model.js';
import { Engine, exitReason } from './engine.js';
import { memoryForModel } from './memory.js';
import {
  isRunning,
  type LoadedReport,
  loadedReport,
  type ModelUse,
  modelUse,
} from './model-use.js';
import { callCancelled } from './pending-calls.js';
import { type EngineStatus, isSameFile, memoryOf, newEntry, type PoolEntry } from './pool-entry.js';
import type { SpawnEngine } from './spawn.js';

/** What the person sets for every model. */
export type LoadSettings = Pick<
  LoadOptions,
  | 'contextLength'
  | 'parallel'
  | 'threads'
  | 'gpuLayers'
  | 'kvTypeK'
  | 'kvTypeV'
  | 'flashAttention'
  | 'unifiedKv'
  | 'targetItlMs'
  | 'draftModelPath'
  | 'speculation'
>;

export interface EnginePoolOptions {
  spawn: SpawnEngine;
  load: LoadSettings;
  /** Bytes of main memory that a model may take now; by default what the system has free. */
  memory?: () => number;
  /** Files of the backend modules that engines load; never rejects. */
  backends: () => Promise<string[]>;
  /** A status, a progress or a count changed. */
  onChange: () => void;
  log: Pick<Logger, 'info' | 'warn'>;
}

/** Memory a model takes besides its weights, as a factor: KV cache and compute buffers. */
const MEMORY_FACTOR = 1.2;

/** To which the budget is told, bytes. */
const BUDGET_STEP = 256 * 1024 ** 2;

/** Requests that may wait for one model: minutes of work. Each may hold a body of some megabytes. */
const QUEUE_MAX = 512;

/** Prefixes in host memory: enough for dozens of long conversations of a small model, never much of a small machine. */
const PREFIX_STORE_MAX = 1024 ** 3;
const PREFIX_STORE_SHARE = 0.1;

/** The one place that knows engines: which models are loaded, loading, crashed, and which one has to make room. */
export class EnginePool {
  #options: EnginePoolOptions;
  #entries = new Map<string, PoolEntry>();
  /** With the id of the model of each. */
  #generations = new Map<GenerationStream, string>();
  #clock = 0;
  #closed = false;
  /** Engines of replaced files, until their last stream has ended. */
  #retired = new Set<Engine>();

  constructor(options: EnginePoolOptions) {
    this.#options = options;
  }

  status(model: LibraryModel): EngineStatus {
    const entry = this.#entries.get(model.id);
    const { status, progress, reason, info, lastUsedAt } = entry ?? newEntry(model);
    const use = entry ? this.#use(entry) : { running: 0, waiting: 0 };
    return {
      ...{ status, progress, reason, lastUsedAt },
      contextLength: info?.contextLength ?? null,
      devices: info?.devices ?? null,
      memoryBytes: info && memoryOf(info),
      running: use.running,
      waiting: use.waiting,
    };
  }

  /** What its engine says of a loaded model; null while it is not loaded. */
  info(model: LibraryModel): ModelInfo | null {
    const entry = this.#entries.get(model.id);
    return entry?.status === 'loaded' ? entry.info : null;
  }

  /**
   * Loads a model, or waits for the load that is under way. Rejects with a GenerationError; with `cancelled` at once when
   * `signal` aborts, and the load goes on.
   */
  async load(model: LibraryModel, signal: AbortSignal | null = null): Promise<void> {
    const engine = this.#engine(model);
    await (signal === null ? engine : unlessAborted(engine, signal));
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
    const entry = this.#entry(model);
    entry.users++;
    stream.onEnd = (answered) => this.#generationEnded(model.id, stream, answered);
    stream.onRunning = this.#options.onChange;
    stream.setProgress(() => ({ stage: 'loading', fraction: this.status(model).progress ?? 0 }));
    this.#options.onChange();
    if (this.#isFull(entry)) {
      stream.refuse(queueFull());
      return stream;
    }
    void this.#start(model, input, signal, stream);
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
    const entry = this.#entry(model);
    entry.users++;
    try {
      if (this.#isFull(entry)) throw queueFull();
      const engine = await unlessAborted(this.#engine(model), signal);
      const result = await engine.call(name, request, signal);
      entry.backoff.succeeded();
      return result;
    } finally {
      entry.users--;
      this.#leaveWhenIdle(entry);
    }
  }

  /** Keeps this model; the others leave as soon as they are idle. */
  retain(modelId: string): void {
    for (const [id, entry] of this.#entries) {
      entry.leaving = id !== modelId;
      this.#leaveWhenIdle(entry);
    }
  }

  /**
   * This model leaves as soon as it is idle, unless somebody asks for it before; whoever asks later loads it again.
   * Resolves when it is gone, or at once while it is in use.
   */
  async release(model: LibraryModel): Promise<void> {
    const entry = this.#entries.get(model.id);
    if (!entry) return;
    entry.leaving = true;
    const { engine } = entry;
    this.#leaveWhenIdle(entry);
    if (entry.status === 'unloading') await engine?.gone;
  }

  /** The library has changed: models that are in it no more leave as soon as they are idle. */
  keepOnly(modelIds: ReadonlySet<string>): void {
    for (const [id, entry] of this.#entries) {
      if (modelIds.has(id)) continue;
      entry.leaving = true;
      this.#leaveWhenIdle(entry);
    }
  }

  /** Generations that produce, and those that wait for a model, a slot or their prompt. */
  counts(): { running: number; waiting: number } {
    let running = 0;
    for (const stream of this.#generations.keys()) if (isRunning(stream)) running++;
    return { running, waiting: this.#generations.size - running };
  }

  /** Of every model that somebody has asked for. */
  uses(): ModelUse[] {
    return [...this.#entries.values()].map((entry) => this.#use(entry));
  }

  /** Bytes that loaded models take, over all devices, and that they may take together now. */
  memory(): { used: number; budget: number } {
    let used = 0;
    for (const { info } of this.#entries.values()) if (info) used += memoryOf(info);
    // Rounded: what the system has free changes all the time, and every change is told.
    const budget = Math.floor((used + this.#memory()) / BUDGET_STEP) * BUDGET_STEP;
    return { used, budget };
  }

  /** What the engines of loaded models say of themselves. Those that have not answered when `signal` aborts are left out. */
  async reports(signal: AbortSignal): Promise<Map<string, LoadedReport>> {
    const asked = [...this.#entries].map(
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
    this.#closed = true;
    await Promise.all(
      [...this.#entries.values()].map(async ({ engine, loading }) => {
        if (loading) engine?.cancelLoad();
        await engine?.unload();
      }),
    );
    await Promise.all([...this.#retired].map((engine) => engine.unload()));
    for (const stream of [...this.#generations.keys()]) {
      stream.refuse(new GenerationError('shutting_down', 'The server is stopping.'));
    }
  }

  #use(entry: PoolEntry): ModelUse {
    const own = [...this.#generations].filter(([, id]) => id === entry.model.id);
    return modelUse(
      entry,
      own.map(([stream]) => stream),
    );
  }

  #isFull(entry: PoolEntry): boolean {
    return entry.users > this.#options.load.parallel + QUEUE_MAX;
  }

  async #start(
    model: LibraryModel,
    input: GenerationInput,
    signal: AbortSignal,
    stream: GenerationStream,
  ): Promise<void> {
    const leave = () => stream.cancel();
    if (signal.aborted) return leave();
    signal.addEventListener('abort', leave, { once: true });
    try {
      const engine = await this.#engine(model);
      signal.removeEventListener('abort', leave);
      if (stream.ended) return;
      engine.run(input, signal, stream);
      this.#options.onChange();
    } catch (error) {
      signal.removeEventListener('abort', leave);
      stream.refuse(
        error instanceof GenerationError
          ? error
          : new GenerationError('load_failed', (error as Error).message),
      );
    }
  }

  #generationEnded(modelId: string, stream: GenerationStream, answered: boolean): void {
    this.#generations.delete(stream);
    const entry = this.#entries.get(modelId);
    if (entry) entry.users--;
    if (entry && answered) entry.backoff.succeeded();
    if (entry) this.#leaveWhenIdle(entry);
    this.#options.onChange();
  }

  async #engine(model: LibraryModel): Promise<Engine> {
    if (this.#closed) throw new GenerationError('shutting_down', 'The server is stopping.');
    if (model.invalidReason) throw new GenerationError('model_invalid', model.invalidReason);

    const entry = this.#entry(model);
    entry.lastUsed = ++this.#clock;
    entry.lastUsedAt = Math.floor(Date.now() / 1000);
    entry.leaving = false;
    if (entry.loading) return entry.loading;
    if (entry.engine && entry.status === 'loaded') {
      if (isSameFile(entry.model, model)) return entry.engine;
      this.#retire(entry);
    }

    entry.model = model;
    entry.loading = this.#load(entry).finally(() => {
      entry.loading = null;
      this.#options.onChange();
    });
    return entry.loading;
  }

  #entry(model: LibraryModel): PoolEntry {
    let entry = this.#entries.get(model.id);
    if (!entry) {
      entry = newEntry(model);
      this.#entries.set(model.id, entry);
    }
    return entry;
  }

  async #load(entry: PoolEntry): Promise<Engine> {
    const { model, backoff } = entry;
    await entry.engine?.gone; // it may still be unloading
    this.#set(entry, 'loading', { progress: 0, reason: null });
    await delay(backoff.delay(performance.now()));
    const backends = await this.#options.backends();
    await this.#makeRoom(entry);
    if (this.#closed) throw new GenerationError('shutting_down', 'The server is stopping.');

    const started = performance.now();
    const engine = new Engine(
      this.#options.spawn,
      {
        ...this.#options.load,
        path: model.path,
        memoryBytes: this.#memory(),
        queueMax: QUEUE_MAX,
        prefixStoreBytes: Math.min(PREFIX_STORE_MAX, this.#memory() * PREFIX_STORE_SHARE),
      },
      (fraction) => this.#set(entry, 'loading', { progress: fraction, reason: null }),
      backends,
    );
    entry.engine = engine;
    void engine.gone.then((exit) => {
      if (entry.engine !== engine) return;
      entry.engine = null;
      entry.info = null;
      if (engine.crashed) {
        backoff.crashed(performance.now());
        entry.crashes++;
        this.#set(entry, 'crashed', { progress: null, reason: exitReason(exit) });
        this.#options.log.warn({ model: model.id, ...exit }, 'engine crashed');
      } else if (entry.status !== 'failed') {
        this.#set(entry, 'unloaded', { progress: null, reason: null });
      }
    });

    try {
      entry.info = await engine.loaded;
    } catch (error) {
      const failure = error as GenerationError;
      const idle = failure.code === 'out_of_memory' ? this.#oldestIdle(entry) : null;
      if (idle) {
        await Promise.all([engine.gone, this.#unload(idle)]);
        return this.#load(entry);
      }
      if (failure.code === 'cancelled') {
        this.#set(entry, 'unloaded', { progress: null, reason: null });
      } else if (failure.code !== 'engine_crashed') {
        this.#set(entry, 'failed', { progress: null, reason: failure.message });
      }
      this.#options.log.warn({ model: model.id, code: failure.code }, failure.message);
      throw failure;
    }
    entry.loads++;
    this.#set(entry, 'loaded', { progress: null, reason: null });
    const ms = Math.round(performance.now() - started);
    this.#options.log.info({ model: model.id, ms, ...entry.info }, 'model loaded');
    // another model may have been chosen meanwhile; who waits for this one is served first
    setImmediate(() => this.#leaveWhenIdle(entry));
    return engine;
  }

  /**
   * Unloads idle models, least recently used first, until this one should fit by its size. What it needs exactly only
   * its engine finds out.
   */
  async #makeRoom(entry: PoolEntry): Promise<void> {
    const needed = entry.model.sizeBytes * MEMORY_FACTOR;
    while (this.#memory() < needed) {
      const oldest = this.#oldestIdle(entry);
      if (!oldest) return;
      await this.#unload(oldest);
    }
  }

  /** Bytes that a model may take now. */
  #memory(): number {
    return (this.#options.memory ?? memoryForModel)();
  }

  /** The least recently used model that nobody uses, besides this one. */
  #oldestIdle(entry: PoolEntry): PoolEntry | null {
    const [oldest] = [...this.#entries.values()]
      .filter((e) => e !== entry && e.status === 'loaded' && e.users === 0)
      .sort((a, b) => a.lastUsed - b.lastUsed);
    return oldest ?? null;
  }

  /** The file has been replaced: who runs on the old weights ends there, whoever comes gets the new ones. */
  #retire(entry: PoolEntry): void {
    const { engine } = entry;
    if (!engine) return;
    this.#retired.add(engine);
    void engine.drain().then(() => this.#retired.delete(engine));
    entry.engine = null;
    entry.info = null;
  }

  #leaveWhenIdle(entry: PoolEntry): void {
    if (entry.leaving && entry.status === 'loaded' && entry.users === 0) {
      void this.#unload(entry);
    }
  }

  async #unload(entry: PoolEntry): Promise<void> {
    this.#set(entry, 'unloading', { progress: null, reason: null });
    await entry.engine?.unload();
  }

  #set(
    entry: PoolEntry,
    status: PoolEntry['status'],
    { progress, reason }: Pick<PoolEntry, 'progress' | 'reason'>,
  ): void {
    entry.status = status;
    entry.progress = progress;
    entry.reason = reason;
    this.#options.onChange();
  }
}

function queueFull(): GenerationError {
  return new GenerationError(
    'queue_full',
    `${QUEUE_MAX} requests are waiting already. Try again later.`,
  );
}

/** Rejects at once when the signal aborts; the load goes on for others. */
function unlessAborted<T>(loading: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(callCancelled());
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    loading.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

function delay(ms: number): Promise<void> {
  return ms > 0 ? new Promise((resolve) => setTimeout(resolve, ms)) : Promise.resolve();
}
