/** Whether an upstream answers: asked again and again, and seen from how requests to it end. */
import { setMaxListeners } from 'node:events';
import type { Upstream } from '../../protocol/upstreams.js';
import type { Clock } from '../clock.js';

/** Milliseconds between two checks of an upstream that is well. */
const CHECK_MS = 30_000;

/** Milliseconds until an upstream that is not well is asked again; twice as long each time, up to the longest. */
const FIRST_RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 300_000;

/** What a check found: null, all is well; else a sentence for people. */
export type Check = () => Promise<string | null>;

export interface HealthReport {
  health: Upstream['health'];
  /** A sentence for people; null unless it is unhealthy. */
  reason: string | null;
  /** Milliseconds since 1970 of the last check; null: none yet. */
  checkedAt: number | null;
}

export interface HealthOptions {
  check: Check;
  clock: Clock;
  onChange: () => void;
}

export class UpstreamHealth {
  #report: HealthReport = { health: 'unknown', reason: null, checkedAt: null };
  /** Checks and requests in a row that went wrong. */
  #failures = 0;
  #stopTimer: () => void = () => {};
  #checking: Promise<void> | null = null;
  #isClosed = false;
  /** Aborts when it turns unhealthy. */
  #well = newWell();

  constructor(private readonly options: HealthOptions) {}

  get report(): Readonly<HealthReport> {
    return this.#report;
  }

  get isUnhealthy(): boolean {
    return this.#report.health === 'unhealthy';
  }

  /** Aborts when it turns unhealthy the next time. */
  get untilUnhealthy(): AbortSignal {
    return this.#well.signal;
  }

  /** Asks now; calls while it is asked share the answer. Never rejects. */
  check(): Promise<void> {
    this.#checking ??= this.#ask().finally(() => {
      this.#checking = null;
    });
    return this.#checking;
  }

  /** A request was answered. */
  succeeded(): void {
    if (this.#isClosed || this.#report.health === 'healthy') return;
    this.#set('healthy', null);
    this.#schedule();
  }

  /** A request was not answered at all. @param reason A sentence for people. */
  failed(reason: string): void {
    if (this.#isClosed) return;
    this.#set('unhealthy', reason);
    this.#schedule();
  }

  /** A request went wrong in a way that says little of others. */
  suspect(): void {
    if (!this.#isClosed) void this.check();
  }

  close(): void {
    this.#isClosed = true;
    this.#stopTimer();
  }

  async #ask(): Promise<void> {
    this.#stopTimer();
    const reason = await this.options.check();
    if (this.#isClosed) return;
    this.#report = { ...this.#report, checkedAt: Date.now() };
    this.#set(reason === null ? 'healthy' : 'unhealthy', reason);
    this.#schedule();
  }

  #set(health: 'healthy' | 'unhealthy', reason: string | null): void {
    this.#failures = health === 'healthy' ? 0 : this.#failures + 1;
    this.#report = { ...this.#report, health, reason };
    if (health === 'unhealthy') {
      this.#well.abort();
      this.#well = newWell();
    }
    this.options.onChange();
  }

  #schedule(): void {
    this.#stopTimer();
    this.#stopTimer = this.options.clock.after(retryDelay(this.#failures), () => void this.check());
  }
}

/** Milliseconds until the next check, after so many failures in a row. Pure. */
export function retryDelay(failures: number): number {
  if (failures === 0) return CHECK_MS;
  return Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 20));
}

/** Every request that could go elsewhere listens to it: Node takes more than ten for a leak. */
function newWell(): AbortController {
  const well = new AbortController();
  setMaxListeners(0, well.signal);
  return well;
}
