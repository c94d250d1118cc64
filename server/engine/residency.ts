/** Which models are in memory: loads them, has them leave, and lets requests in to them. Knows no generations. */
import type { Logger } from 'pino';
import type { ModelInfo } from '../../protocol/engine-load.js';
import { type Clock, SYSTEM_CLOCK } from '../clock.js';
import { GenerationError } from '../generation/generation.js';
import type { LibraryModel } from '../library/model.js';
import { Door, type Entered } from './door.js';
import type { Engine } from './engine.js';
import { Loader, shuttingDown } from './loader.js';
import type { Measure } from './measure.js';
import { memoryForModel } from './memory.js';
import { MemoryKeeper } from './memory-keeper.js';
import {
  isSameFile,
  newEntry,
  type PoolEntry,
  type Wishes,
  wake,
  withWishes,
} from './pool-entry.js';
import { leavesAt } from './rest.js';
import type { ModelRules, PoolLimits } from './rules.js';
import type { SpawnEngine } from './spawn.js';

export interface ResidencyOptions {
  spawn: SpawnEngine;
  rules: (model: LibraryModel) => ModelRules;
  limits: () => PoolLimits;
  /** Bytes of main memory that one more model may take now, beside `taken` of loaded ones; by default what is free. */
  memory?: (taken: number) => number;
  /** Files of the backend modules that engines load; never rejects. */
  backends: () => Promise<string[]>;
  /** "host:port" of RPC workers for models that are too big for this machine; none where it is left out. */
  rpcHosts?: () => string[];
  /** See LoaderOptions. */
  measure?: Measure;
  /** A status, a progress or a count changed. */
  onChange: () => void;
  /** Somebody asks for the model with this id. */
  onUse?: (modelId: string) => void;
  clock?: Clock;
  /** How long a model may take new requests, milliseconds, while another one waits for its memory. */
  turnMs?: number;
  log: Pick<Logger, 'info' | 'warn'>;
}

/** Some load times of a big model: shorter turns would spend more time on loading than on answers. */
const TURN_MS = 10_000;

export class Residency {
  readonly #options: ResidencyOptions;
  readonly #clock: Clock;
  readonly #entries = new Map<string, PoolEntry>();
  readonly #keeper: MemoryKeeper;
  readonly #loader: Loader;
  readonly #door: Door;
  #uses = 0;
  #closed = false;
  /** Engines of replaced files, until their last stream has ended. */
  readonly #retired = new Set<Engine>();

  constructor(options: ResidencyOptions) {
    this.#options = options;
    this.#clock = options.clock ?? SYSTEM_CLOCK;
    const { spawn, limits, backends, rpcHosts = () => [], measure = null, onChange, log } = options;
    const rules = (entry: PoolEntry) => this.rules(entry);
    this.#keeper = new MemoryKeeper({
      ...{ entries: this.#entries, rules, limits, clock: this.#clock, onChange },
      memory: options.memory ?? memoryForModel,
      turnMs: options.turnMs ?? TURN_MS,
      unload: (entry, again) => void this.#unload(entry, again),
    });
    this.#loader = new Loader({
      ...{ spawn, keeper: this.#keeper, entries: this.#entries, backends, rpcHosts, onChange, log },
      ...{ measure, settings: (entry: PoolEntry) => this.rules(entry).load },
      now: () => this.#clock.now(),
    });
    this.#door = new Door({
      ...{ clock: this.#clock, limits },
      ready: (entry, model) => this.#ready(entry, model),
    });
  }

  /** By the ids of the models that somebody has asked for. */
  get entries(): ReadonlyMap<string, PoolEntry> {
    return this.#entries;
  }

  entry(model: LibraryModel): PoolEntry {
    let entry = this.#entries.get(model.id);
    if (!entry) {
      entry = newEntry(model);
      this.#entries.set(model.id, entry);
    }
    return entry;
  }

  /** What holds for it now. */
  rules(entry: PoolEntry): ModelRules {
    return withWishes(this.#options.rules(entry.model), entry.wishes);
  }

  /** See EngineStatus. */
  isStale(entry: PoolEntry): boolean {
    return this.#keeper.isStale(entry);
  }

  /** Null while it is not loaded. */
  info(model: LibraryModel): ModelInfo | null {
    const entry = this.#entries.get(model.id);
    return entry?.status === 'loaded' ? entry.info : null;
  }

  /** See EnginePool. */
  expiresIn(model: LibraryModel): number | null {
    const entry = this.#entries.get(model.id);
    if (entry?.status !== 'loaded') return null;
    const { ttl } = this.rules(entry);
    if (ttl === null) return null;
    const now = this.#clock.now();
    return Math.max(0, (leavesAt(entry, ttl) ?? now + ttl * 1000) - now);
  }

  /** See EnginePool. */
  memory(): { used: number; budget: number } {
    return this.#keeper.usage();
  }

  /** Bytes of main memory that it may take, or takes already. */
  memoryFor(model: LibraryModel): number {
    return this.#keeper.memoryFor(this.#entries.get(model.id) ?? null);
  }

  /** See EnginePool. */
  async load(model: LibraryModel, signal: AbortSignal | null, wishes: Wishes): Promise<void> {
    const entry = this.entry(model);
    this.#note(entry);
    entry.loaders++;
    this.wish(model, wishes);
    // Who says how it is to be loaded does not mean what is loaded otherwise, or is just being loaded so.
    const isOther = () => wishes.settings !== undefined && this.isStale(entry);
    entry.drains ||= isOther();
    try {
      await this.#door.wait(entry, model, signal);
      if (isOther()) {
        entry.drains = true;
        this.#keeper.look();
        await this.#door.wait(entry, model, signal);
      }
    } finally {
      entry.loaders--;
      this.left(entry);
    }
  }

  /** See EnginePool. */
  wish(model: LibraryModel, wishes: Wishes): void {
    const entry = this.entry(model);
    entry.wishes = { ...entry.wishes, ...wishes };
    this.settingsChanged();
  }

  /** See EnginePool. */
  settingsChanged(): void {
    this.#keeper.look();
    this.#options.onChange();
  }

  /** Lets a request in; see Door.enter. Whoever is counted as a user says `left` when they go. */
  enter(entry: PoolEntry, model: LibraryModel, signal: AbortSignal, isCall: boolean) {
    this.#note(entry);
    return this.#door.enter(entry, model, signal, isCall) satisfies Promise<Entered>;
  }

  /** One who used it, or waited for it, has gone. */
  left(entry: PoolEntry): void {
    entry.lastUsed = ++this.#uses;
    entry.idleSince = this.#clock.now();
    if (entry.users + entry.loaders === 0) {
      entry.waitingSince = null;
      // What was wished for a load that has failed.
      if (entry.loading === null && entry.engine === null) entry.wishes = {};
    }
    this.#keeper.look();
  }

  /** See EnginePool. */
  async release(model: LibraryModel): Promise<void> {
    const entry = this.#entries.get(model.id);
    if (!entry) return;
    entry.wishes = {};
    if (entry.loading !== null) {
      if (entry.users === 0) this.#loader.giveUp(entry);
      await entry.loading.catch(() => {});
      // Who has waited for it is let in first.
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { engine } = entry;
    if (entry.status === 'loaded') {
      entry.drains = true;
      this.settingsChanged();
    }
    await engine?.gone;
  }

  /** See EnginePool. */
  keepOnly(modelIds: ReadonlySet<string>): void {
    for (const [id, entry] of this.#entries) entry.leaving = !modelIds.has(id);
    this.#keeper.look();
  }

  /** Ends every engine process. */
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
    if (again) await this.load(entry.model, null, {}).catch(() => {});
  }
}
