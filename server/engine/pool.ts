/** The one place that knows engines: which models are loaded, and how requests get to them. */
import type { Logger } from 'pino';
import type { EngineCallName, EngineCalls } from '../../protocol/engine-calls.js';
import type { ModelInfo } from '../../protocol/engine-load.js';
import {
  type Generation,
  GenerationError,
  type GenerationInput,
} from '../generation/generation.js';
import { type GenerationObserver, GenerationStream } from '../generation/stream.js';
import type { LibraryModel } from '../library/model.js';
import { type Clock, SYSTEM_CLOCK } from './clock.js';
import { Door } from './door.js';
import type { Engine } from './engine.js';
import { Loader, QUEUE_MAX, shuttingDown } from './loader.js';
import { memoryForModel } from './memory.js';
import { MemoryKeeper } from './memory-keeper.js';
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
  isSameFile,
  newEntry,
  type PoolEntry,
  type Wishes,
  waitsForMemory,
  wake,
  withWishes,
} from './pool-entry.js';
import { leavesAt } from './rest.js';
import type { ModelRules, PoolLimits } from './rules.js';
import type { SpawnEngine } from './spawn.js';

export interface EnginePoolOptions {
  spawn: SpawnEngine;
  rules: (model: LibraryModel) => ModelRules;
  limits: () => PoolLimits;
  /** Bytes of main memory that one more model may take now, beside `taken` of loaded ones; by default what is free. */
  memory?: (taken: number) => number;
  /** Files of the backend modules that engines load; never rejects. */
  backends: () => Promise<string[]>;
  /** "host:port" of RPC workers for models that are too big for this machine; none where it is left out. */
  rpcHosts?: () => string[];
  /** A status, a progress or a count changed. */
  onChange: () => void;
  /** Somebody asks for the model with this id. */
  onUse?: (modelId: string) => void;
  /** When that was in earlier starts, unix seconds; null: never. */
  lastUse?: (modelId: string) => number | null;
  clock?: Clock;
  /** How long a model may take new requests, milliseconds, while another one waits for its memory. */
  turnMs?: number;
  log: Pick<Logger, 'info' | 'warn'>;
}

/** Some load times of a big model: shorter turns would spend more time on loading than on answers. */
const TURN_MS = 10_000;

export class EnginePool {
  readonly #options: EnginePoolOptions;
  readonly #clock: Clock;
  readonly #entries = new Map<string, PoolEntry>();
  readonly #keeper: MemoryKeeper;
  readonly #loader: Loader;
  readonly #door: Door;
  /** With the id of the model of each. */
  readonly #generations = new Map<GenerationStream, string>();
  #uses = 0;
  #closed = false;
  /** Engines of replaced files, until their last stream has ended. */
  readonly #retired = new Set<Engine>();

  constructor(options: EnginePoolOptions) {
    this.#options = options;
    this.#clock = options.clock ?? SYSTEM_CLOCK;
    const { spawn, limits, backends, rpcHosts = () => [], onChange, log } = options;
    const rules = (entry: PoolEntry) => this.#rules(entry);
    this.#keeper = new MemoryKeeper({
      ...{ entries: this.#entries, rules, limits, clock: this.#clock, onChange },
      memory: options.memory ?? memoryForModel,
      turnMs: options.turnMs ?? TURN_MS,
      unload: (entry, again) => void this.#unload(entry, again),
    });
    this.#loader = new Loader({
      ...{ spawn, keeper: this.#keeper, entries: this.#entries, backends, rpcHosts, onChange, log },
      settings: (entry) => this.#rules(entry).load,
      now: () => this.#clock.now(),
    });
    this.#door = new Door({
      ...{ clock: this.#clock, limits },
      ready: (entry, model) => this.#ready(entry, model),
    });
  }

  status(model: LibraryModel): EngineStatus {
    const entry = this.#entries.get(model.id) ?? newEntry(model);
    const { status, progress, reason, info } = entry;
    const use = this.#entries.has(model.id) ? this.#use(entry) : { running: 0, waiting: 0 };
    return {
      ...{ status, progress },
      lastUsedAt: entry.lastUsedAt ?? this.#options.lastUse?.(model.id) ?? null,
      reason: waitsForMemory(entry) && status === 'loading' ? WAITS : reason,
      contextLength: info?.contextLength ?? null,
      devices: info?.devices ?? null,
      memoryBytes: info && bytesOf(info).all,
      running: use.running,
      waiting: use.waiting,
      isPinned: this.#rules(entry).isPinned,
      isStale: this.#keeper.isStale(entry),
    };
  }

  /** What its engine says of a loaded model; null while it is not loaded. */
  info(model: LibraryModel): ModelInfo | null {
    const entry = this.#entries.get(model.id);
    return entry?.status === 'loaded' ? entry.info : null;
  }

  /** Milliseconds from now until a model leaves memory, if nobody asks for it from now on; null: never. */
  expiresIn(model: LibraryModel): number | null {
    const entry = this.#entries.get(model.id);
    if (entry?.status !== 'loaded') return null;
    const { ttl } = this.#rules(entry);
    if (ttl === null) return null;
    const now = this.#clock.now();
    return Math.max(0, (leavesAt(entry, ttl) ?? now + ttl * 1000) - now);
  }

  /**
   * Loads a model, or waits for the load that is under way. Rejects with a GenerationError; with `cancelled` at once when
   * `signal` aborts, and a load that has begun goes on.
   */
  async load(model: LibraryModel, signal: AbortSignal | null = null): Promise<void> {
    const entry = this.#entry(model);
    this.#note(entry);
    entry.loaders++;
    try {
      await this.#door.wait(entry, model, signal);
    } finally {
      entry.loaders--;
      this.#idle(entry);
    }
  }

  /** How it is to be loaded and how long it stays: until it is unloaded, beside what the rules say. */
  wish(model: LibraryModel, wishes: Wishes): void {
    const entry = this.#entry(model);
    entry.wishes = { ...entry.wishes, ...wishes };
    this.settingsChanged();
  }

  /** What the rules or the limits say may have changed. */
  settingsChanged(): void {
    this.#keeper.look();
    this.#options.onChange();
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
    let leave = () => {};
    stream.onEnd = (answered) => {
      this.#generations.delete(stream);
      entry.users--;
      if (answered) entry.backoff.succeeded();
      leave();
      this.#idle(entry);
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
    const entry = this.#entry(model);
    entry.users++;
    try {
      if (this.#isFull(entry)) throw queueFull();
      this.#note(entry);
      const { engine, leave } = await this.#door.enter(entry, model, signal, true);
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
      this.#idle(entry);
    }
  }

  /**
   * Takes no new requests and leaves when its answers have ended; whoever asks meanwhile or later loads it again. A load
   * that nobody's request waits for is given up. Resolves when it is gone.
   */
  async release(model: LibraryModel): Promise<void> {
    const entry = this.#entries.get(model.id);
    if (!entry) return;
    entry.wishes = {};
    if (entry.loading !== null) {
      if (entry.users > 0) return;
      entry.engine?.cancelLoad();
      await entry.loading.catch(() => {});
    }
    const { engine } = entry;
    if (entry.status === 'loaded') {
      entry.drains = true;
      this.#keeper.look();
      this.#options.onChange();
    }
    await engine?.gone;
  }

  /** The library has changed: models that are in it no more leave as soon as they are idle. */
  keepOnly(modelIds: ReadonlySet<string>): void {
    for (const [id, entry] of this.#entries) entry.leaving = !modelIds.has(id);
    this.#keeper.look();
  }

  /** Generations that produce, and those that wait for a model, a slot or their prompt. */
  counts(): { running: number; waiting: number } {
    let running = 0;
    for (const stream of this.#generations.keys()) if (isRunning(stream)) running++;
    return { running, waiting: this.#generations.size - running };
  }

  /** Sentences for people about RPC workers that loaded models were to use and cannot. */
  notices(): string[] {
    const engines = [...this.#entries.values()].map(({ engine }) => engine);
    return [...new Set(engines.flatMap((engine) => engine?.rpcProblems ?? []))];
  }

  /** Of every model that somebody has asked for. */
  uses(): ModelUse[] {
    return [...this.#entries.values()].map((entry) => this.#use(entry));
  }

  /** Bytes that loaded models take, over all devices, and that they may take together now. */
  memory(): { used: number; budget: number } {
    return this.#keeper.usage();
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
    this.#loader.close();
    this.#keeper.close(shuttingDown());
    await Promise.all(
      [...this.#entries.values()].map(async ({ engine, loading }) => {
        if (loading) engine?.cancelLoad();
        await engine?.unload();
      }),
    );
    await Promise.all([...this.#retired].map((engine) => engine.unload()));
    for (const stream of [...this.#generations.keys()]) stream.refuse(shuttingDown());
  }

  #rules(entry: PoolEntry): ModelRules {
    return withWishes(this.#options.rules(entry.model), entry.wishes);
  }

  #use(entry: PoolEntry): ModelUse {
    const own = [...this.#generations].filter(([, id]) => id === entry.model.id);
    return modelUse(
      entry,
      own.map(([stream]) => stream),
    );
  }

  #isFull(entry: PoolEntry): boolean {
    return entry.users > this.#rules(entry).load.parallel + QUEUE_MAX;
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
      this.#note(entry);
      const entered = await this.#door.enter(entry, model, signal, false);
      if (stream.ended) {
        entered.leave();
        return this.#idle(entry);
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

  /** Somebody asks for it. */
  #note(entry: PoolEntry): void {
    entry.lastUsed = ++this.#uses;
    entry.lastUsedAt = Math.floor(Date.now() / 1000);
    this.#options.onUse?.(entry.model.id);
    if (entry.status !== 'loaded' || entry.drains || entry.yields) {
      entry.waitingSince ??= this.#clock.now();
    }
  }

  /** One who used it has gone. */
  #idle(entry: PoolEntry): void {
    entry.lastUsed = ++this.#uses;
    entry.idleSince = this.#clock.now();
    if (entry.users + entry.loaders === 0) entry.waitingSince = null;
    // What was wished for a load that has failed.
    const isGone = entry.loading === null && entry.engine === null;
    if (isGone && entry.users + entry.loaders === 0) entry.wishes = {};
    this.#keeper.look();
  }

  /** Its engine where it is loaded; else what to wait for before asking again. Rejects where it cannot be loaded. */
  #ready(entry: PoolEntry, model: LibraryModel): Engine | Promise<unknown> {
    if (this.#closed) throw shuttingDown();
    if (model.invalidReason) throw new GenerationError('model_invalid', model.invalidReason);
    const { engine } = entry;
    if (entry.loading === null && engine !== null && entry.status === 'loaded') {
      if (!isSameFile(entry.model, model)) this.#retire(entry, engine);
      else if (!entry.drains && !entry.yields) {
        entry.waitingSince = null;
        return engine;
      } else return new Promise<void>((resolve) => entry.wakers.push(resolve));
    }
    if (entry.loading === null) {
      entry.model = model;
      entry.loading = this.#loader.load(entry).finally(() => {
        entry.loading = null;
        this.#options.onChange();
      });
    }
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

  /** The file has been replaced: who runs on the old weights ends there, whoever comes gets the new ones. */
  #retire(entry: PoolEntry, engine: Engine): void {
    this.#retired.add(engine);
    void engine.drain().then(() => this.#retired.delete(engine));
    Object.assign(entry, { engine: null, info: null, settings: null, active: 0, calls: 0 });
    entry.yields = entry.drains = false;
    wake(entry);
  }

  async #unload(entry: PoolEntry, again: boolean): Promise<void> {
    this.#loader.set(entry, 'unloading', { progress: null, reason: null });
    await entry.engine?.unload();
    // Why it cannot be loaded as it is set now, its entry tells.
    if (again) await this.load(entry.model).catch(() => {});
  }
}

const WAITS = 'It waits for memory that other models take.';

function queueFull(): GenerationError {
  return new GenerationError(
    'queue_full',
    `${QUEUE_MAX} requests are waiting already. Try again later.`,
  );
}
