/**
 * Lets models into memory and out of it: acts on what room.ts decides, on times of rest, and on settings that have
 * changed. Decides in a turn of its own, after everybody who was waiting for a model has been let in.
 */

import type { Clock } from '../clock.js';
import { GenerationError } from '../generation/generation.js';
import { Alarm } from './alarm.js';
import { bytesOf, isClosed, type PoolEntry, wake } from './pool-entry.js';
import { leavesAt } from './rest.js';
import { type Bytes, decideRoom, minus, plus, type Resident } from './room.js';
import type { LoadSettings, ModelRules, PoolLimits } from './rules.js';

export interface MemoryKeeperOptions {
  entries: ReadonlyMap<string, PoolEntry>;
  rules: (entry: PoolEntry) => ModelRules;
  limits: () => PoolLimits;
  /** Bytes of main memory that one more model may take now, beside what loaded ones take. */
  memory: (taken: number) => number;
  clock: Clock;
  /** See RoomState. */
  turnMs: number;
  /** Begins to unload it. @param again It is loaded again afterwards. */
  unload: (entry: PoolEntry, again: boolean) => void;
  /** Something that people see has changed. */
  onChange: () => void;
}

interface PendingClaim {
  entry: PoolEntry;
  needed: Bytes;
  isExact: boolean;
  resolve: (memoryBytes: number) => void;
  reject: (error: GenerationError) => void;
}

/** To which the budget is told where the system sets it, bytes. */
const BUDGET_STEP = 256 * 1024 ** 2;

/**
 * How long nobody else loads while a model does, milliseconds. Longer than nearly all loads; one that hangs, as on a
 * network drive, holds up the others no longer.
 */
const ALONE_MS = 60_000;

const NOTHING: Bytes = { host: 0, all: 0 };

export class MemoryKeeper {
  readonly #options: MemoryKeeperOptions;
  readonly #alarm: Alarm;
  #claims: PendingClaim[] = [];
  #isDue = false;
  #isClosed = false;

  constructor(options: MemoryKeeperOptions) {
    this.#options = options;
    this.#alarm = new Alarm(options.clock, () => this.look());
  }

  /**
   * Waits until a model may load.
   * @param isExact See Claim.
   * @returns bytes of main memory that it may take; `needed` is kept for it until it is loaded.
   * @throws GenerationError out_of_memory where that can never be; cancelled once nobody waits for it.
   */
  claim(entry: PoolEntry, needed: Bytes, isExact: boolean): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#claims.push({ entry, needed, isExact, resolve, reject });
      this.look();
    });
  }

  /** Whoever waits for it gets this error; without effect where it claims nothing. */
  giveUp(entry: PoolEntry, error: GenerationError): void {
    const claim = this.#claims.find((each) => each.entry === entry);
    if (claim === undefined) return;
    this.#claims = this.#claims.filter((each) => each !== claim);
    entry.isClaiming = false;
    claim.reject(error);
    this.look();
  }

  /** Whether it takes memory that could be another one's. */
  canMove(entry: PoolEntry): boolean {
    const takes = entry.info !== null || entry.reserved !== null;
    return takes && !this.#options.rules(entry).isPinned;
  }

  /** By models that are loaded, over all devices, and what they may take together. */
  usage(): { used: number; budget: number } {
    const { used } = this.#account();
    const { budgetBytes } = this.#options.limits();
    if (budgetBytes !== null) return { used: used.all, budget: budgetBytes };
    // Rounded: what the system has free changes all the time, and every change is told.
    const steps = Math.floor((used.all + this.#options.memory(used.host)) / BUDGET_STEP);
    return { used: used.all, budget: steps * BUDGET_STEP };
  }

  /** Bytes of main memory that one may take, beside all others; null: one that nobody has asked for yet. */
  memoryFor(entry: PoolEntry | null): number {
    const own = entry?.info ? bytesOf(entry.info) : (entry?.reserved ?? NOTHING);
    const { free } = this.#account();
    return Math.max(1, Math.min(free.host + own.host, free.all + own.all));
  }

  /** The least recently used model that nobody uses and that lies on a graphics card; null: none. */
  idleOnGpu(): PoolEntry | null {
    const idle = [...this.#options.entries.values()].filter((entry) => {
      const { status, info, users, loaders } = entry;
      const isIdle = status === 'loaded' && users === 0 && loaders === 0 && this.canMove(entry);
      return isIdle && info !== null && bytesOf(info).all > bytesOf(info).host;
    });
    return idle.sort((a, b) => a.lastUsed - b.lastUsed)[0] ?? null;
  }

  /** Unloads one that nobody uses; resolves when it is gone. */
  async sendAway(entry: PoolEntry): Promise<void> {
    const { engine } = entry;
    this.#options.unload(entry, false);
    await engine?.gone;
  }

  /** Something has changed that may let somebody in or out. */
  look(): void {
    if (this.#isDue || this.#isClosed) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      if (!this.#isClosed) this.#decide();
    });
  }

  close(error: GenerationError): void {
    this.#isClosed = true;
    this.#alarm.set(null);
    for (const { entry, reject } of this.#claims.splice(0)) {
      entry.isClaiming = false;
      reject(error);
    }
    for (const entry of this.#options.entries.values()) wake(entry);
  }

  #decide(): void {
    const { clock, entries } = this.#options;
    const now = clock.now();
    const times = [...entries.values()].map((entry) => this.#rest(entry, now));
    this.#claims = this.#claims.filter((claim) => !this.#giveUp(claim));
    times.push(this.#makeRoom(now));
    this.#alarm.set(times.reduce((a, b) => (a === null || b === null ? (a ?? b) : Math.min(a, b))));
  }

  /** Unloads it where its time has come. @returns when to look again. */
  #rest(entry: PoolEntry, now: number): number | null {
    if (entry.status !== 'loaded') return null;
    const { ttl } = this.#options.rules(entry);
    const due = leavesAt(entry, ttl);
    const isIdle = entry.users === 0 && entry.loaders === 0;
    const isUnwanted = entry.leaving || (due !== null && due <= now);
    const isStale = this.isStale(entry);
    if (entry.drains ? entry.active > 0 : !isIdle || !(isUnwanted || isStale)) return due;
    this.#options.unload(entry, isStale && !isUnwanted && !entry.drains);
    return null;
  }

  /** It would be loaded otherwise now. */
  isStale(entry: PoolEntry): boolean {
    if (entry.status !== 'loaded' || entry.settings === null) return false;
    return !isSameSettings(entry.settings, this.#options.rules(entry).load);
  }

  /** Nobody waits for it any more. */
  #giveUp({ entry, reject }: PendingClaim): boolean {
    if (entry.users > 0 || entry.loaders > 0) return false;
    entry.isClaiming = false;
    reject(new GenerationError('cancelled', 'Nobody waits for the model any more.'));
    return true;
  }

  /** @returns when to look again. */
  #makeRoom(now: number): number | null {
    const { entries, turnMs } = this.#options;
    let { free } = this.#account();
    const decision = decideRoom({
      claims: this.#claims
        .map(({ entry, needed, isExact }) => ({
          ...{ id: entry.model.id, needed, isExact, since: entry.waitingSince ?? now },
        }))
        .sort((a, b) => a.since - b.since),
      residents: this.#residents(),
      ...{ free, now, turnMs },
    });
    for (const [id, entry] of entries) this.#setYields(entry, decision.close.includes(id));
    for (const id of decision.unload) {
      const entry = entries.get(id);
      if (entry) this.#options.unload(entry, false);
    }
    for (const id of decision.refuse) {
      const { reject } = this.#take(id);
      reject(new GenerationError('out_of_memory', 'No other model can make enough room for it.'));
    }
    for (const id of decision.grant) {
      const { entry, needed, resolve } = this.#take(id);
      entry.reserved = needed;
      entry.reservedAt = now;
      // 0 would be no limit.
      resolve(Math.max(1, Math.min(free.host, free.all)));
      free = minus(free, needed);
    }
    for (const { entry } of this.#claims) {
      if (entry.isClaiming) continue;
      entry.isClaiming = true;
      this.#options.onChange();
    }
    return decision.again;
  }

  #take(id: string): PendingClaim {
    const index = this.#claims.findIndex(({ entry }) => entry.model.id === id);
    const [claim] = this.#claims.splice(index, 1);
    if (index < 0 || !claim) throw new RangeError(`nobody claims memory for ${id}`);
    claim.entry.isClaiming = false;
    return claim;
  }

  #setYields(entry: PoolEntry, yields: boolean): void {
    if (entry.yields === yields) return;
    entry.yields = yields;
    if (!isClosed(entry)) wake(entry);
    this.#options.onChange();
  }

  #residents(): Resident[] {
    return [...this.#options.entries.values()].flatMap((entry) => {
      const { status, info, reserved, reservedAt, active, lastUsed, openSince } = entry;
      if (info === null && reserved === null) return [];
      return {
        id: entry.model.id,
        state: status === 'unloading' || status === 'loaded' ? status : ('loading' as const),
        bytes: info === null ? (reserved ?? NOTHING) : bytesOf(info),
        active,
        isPinned: this.#options.rules(entry).isPinned,
        isClosed: isClosed(entry),
        ...{ lastUsed, openSince },
        aloneUntil: info === null ? reservedAt + ALONE_MS : null,
      };
    });
  }

  #account(): { used: Bytes; free: Bytes } {
    const entries = [...this.#options.entries.values()];
    const used = entries.reduce(
      (sum, { info }) => (info ? plus(sum, bytesOf(info)) : sum),
      NOTHING,
    );
    const reserved = entries.reduce(
      (sum, { info, reserved: bytes }) => (info === null && bytes ? plus(sum, bytes) : sum),
      NOTHING,
    );
    const budget = this.#options.limits().budgetBytes ?? Number.POSITIVE_INFINITY;
    const free = { host: this.#options.memory(used.host), all: budget - used.all };
    return { used, free: minus(free, reserved) };
  }
}

/** Whether loading with both gives the same. */
function isSameSettings(a: LoadSettings, b: LoadSettings): boolean {
  return (Object.keys(a) as (keyof LoadSettings)[]).every((key) => a[key] === b[key]);
}
