/** Loads one model into an engine process, from waiting for memory to loaded, failed or crashed. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { LoadOptions } from '../../protocol/engine-load.js';
import { GenerationError } from '../generation/generation.js';
import type { LibraryModel } from '../library/model.js';
import { Engine } from './engine.js';
import type { Measure, Measured } from './measure.js';
import type { MemoryKeeper } from './memory-keeper.js';
import { type PoolEntry, wake } from './pool-entry.js';
import type { Bytes } from './room.js';
import type { LoadSettings } from './rules.js';
import type { EngineExit, SpawnEngine } from './spawn.js';

export interface LoaderOptions {
  spawn: SpawnEngine;
  keeper: MemoryKeeper;
  entries: ReadonlyMap<string, PoolEntry>;
  settings: (entry: PoolEntry) => LoadSettings;
  /** Files of the backend modules that engines load; never rejects. */
  backends: () => Promise<string[]>;
  /** "host:port" of RPC workers for models that are too big for this machine. */
  rpcHosts: () => string[];
  /** Asked where another model may have to leave; null: only the load itself tells. */
  measure: Measure | null;
  /** Milliseconds, as in MemoryKeeperOptions. */
  now: () => number;
  onChange: () => void;
  log: Pick<Logger, 'info' | 'warn'>;
}

/** Memory a model takes besides its weights, as a factor: KV cache and compute buffers. */
const MEMORY_FACTOR = 1.2;

/** Requests that may wait for one model: minutes of work. Each may hold a body of some megabytes. */
export const QUEUE_MAX = 512;

/** Prefixes in host memory: enough for dozens of long conversations of a small model, never much of a small machine. */
const PREFIX_STORE_MAX = 1024 ** 3;
const PREFIX_STORE_SHARE = 0.1;

export class Loader {
  #isClosed = false;
  /** Loads that wait because their engines have crashed. */
  readonly #pauses = new Map<PoolEntry, AbortController>();

  constructor(private readonly options: LoaderOptions) {}

  /** No further load begins. */
  close(): void {
    this.#isClosed = true;
  }

  /** Rejects with a GenerationError, which its entry tells too where a person can mend it. */
  async load(entry: PoolEntry): Promise<Engine> {
    const { keeper, backends, now } = this.options;
    const { model } = entry;
    await entry.engine?.gone; // it may still be unloading
    this.set(entry, 'loading', { progress: 0, reason: null });
    await this.#pause(entry);
    const files = await backends();
    const rpcHosts = this.options.rpcHosts();
    if (rpcHosts.length === 0) await this.#clearGpu(entry);
    let needed = guessed(model);
    let isExact = false;
    let failure: GenerationError | null = null;
    while (true) {
      const memoryBytes: number = await keeper
        .claim(entry, needed, isExact)
        .catch((error: unknown) => {
          const refusal = error as GenerationError;
          throw this.#failed(entry, refusal.code === 'cancelled' ? refusal : (failure ?? refusal));
        });
      if (this.#isClosed) throw this.#failed(entry, shuttingDown());
      // Nobody could leave after all.
      const isAlone = failure !== null && memoryBytes < needed.host;
      if (isAlone && rpcHosts.length === 0) throw this.#failed(entry, failure ?? shuttingDown());
      // They may have left before its engine finds what there was then too little.
      const hadOthers = this.#canOthersLeave(entry);
      try {
        // Its layers lie on other machines only where nobody can leave for it.
        const isLast = isAlone || !hadOthers;
        const hosts = isLast || this.options.settings(entry).rpc === 'on' ? rpcHosts : [];
        const engine = await this.#start(entry, memoryBytes, files, hosts);
        entry.openSince = entry.idleSince = now();
        entry.waitingSince = null;
        return engine;
      } catch (error) {
        failure = error as GenerationError;
        const hasOthers = hadOthers || this.#canOthersLeave(entry);
        if (failure.code !== 'out_of_memory' || isAlone || !hasOthers) {
          throw this.#failed(entry, failure);
        }
        // What there was is too little, so that another one has to leave: which, an exact measure tells.
        const exact: Measured | null =
          rpcHosts.length === 0 ? await this.#measure(entry, memoryBytes) : null;
        needed = more(exact?.needed ?? { host: 0, all: 0 }, memoryBytes + 1);
        isExact = exact !== null;
        this.options.log.info({ model: model.id, memoryBytes }, failure.message);
      } finally {
        entry.reserved = null;
        keeper.look();
      }
    }
  }

  /** Ends a load that is under way, whatever it waits for; without effect where there is none. */
  giveUp(entry: PoolEntry): void {
    this.#pauses.get(entry)?.abort();
    this.options.keeper.giveUp(entry, givenUp());
    entry.engine?.cancelLoad();
  }

  set(
    entry: PoolEntry,
    status: PoolEntry['status'],
    { progress, reason }: Pick<PoolEntry, 'progress' | 'reason'>,
  ): void {
    entry.status = status;
    entry.progress = progress;
    entry.reason = reason;
    this.options.onChange();
  }

  /** See CrashBackoff. @throws GenerationError where it is given up meanwhile. */
  async #pause(entry: PoolEntry): Promise<void> {
    const ms = entry.backoff.delay(performance.now());
    if (ms === 0) return;
    const pause = new AbortController();
    this.#pauses.set(entry, pause);
    try {
      await delay(ms, undefined, { signal: pause.signal });
    } catch {
      throw this.#failed(entry, givenUp());
    } finally {
      this.#pauses.delete(entry);
    }
  }

  #canOthersLeave(entry: PoolEntry): boolean {
    const { entries, keeper } = this.options;
    return [...entries.values()].some((each) => each !== entry && keeper.canMove(each));
  }

  async #start(
    entry: PoolEntry,
    memoryBytes: number,
    files: string[],
    rpcHosts: string[],
  ): Promise<Engine> {
    const { spawn, log } = this.options;
    const { model } = entry;
    const started = performance.now();
    const settings = this.options.settings(entry);
    const engine = new Engine(
      spawn,
      loadOptions(model, settings, memoryBytes),
      (fraction) => this.set(entry, 'loading', { progress: fraction, reason: null }),
      files,
      rpcHosts,
    );
    entry.engine = engine;
    entry.settings = settings;
    void engine.gone.then((exit) => this.#gone(entry, engine, exit));
    try {
      entry.info = await engine.loaded;
    } catch (error) {
      await engine.gone;
      throw error;
    }
    entry.loads++;
    this.set(entry, 'loaded', { progress: null, reason: null });
    const ms = Math.round(performance.now() - started);
    log.info({ model: model.id, ms, ...entry.info }, 'model loaded');
    return engine;
  }

  async #measure(entry: PoolEntry, memoryBytes: number): Promise<Measured | null> {
    const { measure, settings } = this.options;
    return measure?.(loadOptions(entry.model, settings(entry), memoryBytes)) ?? null;
  }

  /**
   * Models that nobody uses leave a graphics card where this one would not have all of its layers there: one that is
   * partly on the processor is many times slower.
   */
  async #clearGpu(entry: PoolEntry): Promise<void> {
    const { keeper, settings } = this.options;
    if (settings(entry).gpuLayers >= 0) return;
    for (let idle = keeper.idleOnGpu(); idle !== null; idle = keeper.idleOnGpu()) {
      const measured = await this.#measure(entry, keeper.memoryFor(entry));
      if (measured === null || measured.isWholeOnGpu) return;
      await keeper.sendAway(idle);
    }
  }

  #failed(entry: PoolEntry, failure: GenerationError): GenerationError {
    if (failure.code === 'cancelled' || failure.code === 'shutting_down') {
      this.set(entry, 'unloaded', { progress: null, reason: null });
    } else if (failure.code !== 'engine_crashed') {
      this.set(entry, 'failed', { progress: null, reason: failure.message });
    }
    this.options.log.warn({ model: entry.model.id, code: failure.code }, failure.message);
    return failure;
  }

  #gone(entry: PoolEntry, engine: Engine, exit: EngineExit): void {
    if (entry.engine !== engine) return;
    Object.assign(entry, { engine: null, info: null, settings: null, active: 0, calls: 0 });
    // Who waits may have said how it is to be loaded next.
    if (entry.loading === null && entry.users + entry.loaders === 0) entry.wishes = {};
    entry.yields = entry.drains = false;
    if (engine.crashed) {
      entry.backoff.crashed(performance.now());
      entry.crashes++;
      this.set(entry, 'crashed', { progress: null, reason: engine.endReason(exit) });
      this.options.log.warn({ model: entry.model.id, ...exit }, 'engine crashed');
    } else if (entry.status === 'unloading') {
      this.set(entry, 'unloaded', { progress: null, reason: null });
    }
    wake(entry);
    this.options.keeper.look();
  }
}

function loadOptions(
  { path, projector }: LibraryModel,
  settings: LoadSettings,
  memoryBytes: number,
): LoadOptions {
  return {
    ...settings,
    ...{ path, memoryBytes, projectorPath: projector ?? '' },
    queueMax: QUEUE_MAX,
    prefixStoreBytes: Math.min(PREFIX_STORE_MAX, memoryBytes * PREFIX_STORE_SHARE),
  };
}

/** At least so much of each. */
function more({ host, all }: Bytes, least: number): Bytes {
  return { host: Math.max(host, least), all: Math.max(all, least) };
}

/** By the size of its files. What it needs exactly only its engine finds out. */
function guessed({ sizeBytes }: LibraryModel): Bytes {
  const bytes = Math.ceil(sizeBytes * MEMORY_FACTOR);
  return { host: bytes, all: bytes };
}

export function shuttingDown(): GenerationError {
  return new GenerationError('shutting_down', 'The server is stopping.');
}

function givenUp(): GenerationError {
  return new GenerationError('cancelled', 'Loading was cancelled.');
}
