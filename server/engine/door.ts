/** Where requests wait until they are let in to their model, for as long as somebody waits and not for ever. */

import type { Clock } from '../clock.js';
import { GenerationError } from '../generation/generation.js';
import type { LibraryModel } from '../library/model.js';
import { Engine } from './engine.js';
import { callCancelled } from './pending-calls.js';
import { type PoolEntry, waitsForMemory } from './pool-entry.js';
import type { PoolLimits } from './rules.js';

interface DoorOptions {
  clock: Clock;
  limits: () => PoolLimits;
  /** Its engine where it takes requests now, else what to wait for before asking again. Throws or rejects with a GenerationError. */
  ready: (entry: PoolEntry, model: LibraryModel) => Engine | Promise<unknown>;
}

export interface Entered {
  engine: Engine;
  /** To be called once, when it is answered. */
  leave: () => void;
}

/** Seconds after which it makes sense to ask again where memory was short for long: about a turn. */
const RETRY_AFTER = 15;

export class Door {
  constructor(private readonly options: DoorOptions) {}

  /**
   * Resolves when the model is loaded. Rejects with GenerationError: `cancelled` at once when `signal` aborts.
   * @param signal Null: it waits without limit.
   */
  async wait(entry: PoolEntry, model: LibraryModel, signal: AbortSignal | null): Promise<void> {
    await this.#pass(entry, model, signal, () => {});
  }

  /**
   * Resolves when it is let in, and with that counted. Rejects with GenerationError: `cancelled` at once when `signal`
   * aborts, `memory_busy` where other models' memory is not to be had for too long.
   */
  enter(
    entry: PoolEntry,
    model: LibraryModel,
    signal: AbortSignal,
    isCall: boolean,
  ): Promise<Entered> {
    return this.#pass(entry, model, signal, (engine) => {
      entry.active++;
      if (isCall) entry.calls++;
      return {
        engine,
        leave: () => {
          // Those of an engine that is gone are counted no more.
          if (entry.engine !== engine) return;
          entry.active--;
          if (isCall) entry.calls--;
        },
      };
    });
  }

  /** @param arrive Called in the same turn in which the engine is known to take requests. */
  #pass<T>(
    entry: PoolEntry,
    model: LibraryModel,
    signal: AbortSignal | null,
    arrive: (engine: Engine) => T,
  ): Promise<T> {
    const { clock, limits, ready } = this.options;
    return new Promise((resolve, reject) => {
      let isOver = false;
      let stopTimer = () => {};
      const end = (settle: () => void) => {
        if (isOver) return;
        isOver = true;
        stopTimer();
        signal?.removeEventListener('abort', left);
        settle();
      };
      const left = () => end(() => reject(callCancelled()));
      const late = () => {
        if (waitsForMemory(entry)) end(() => reject(memoryBusy(limits().waitMs)));
        else stopTimer = clock.after(limits().waitMs, late);
      };
      const knock = async () => {
        while (!isOver) {
          const found = ready(entry, model);
          if (found instanceof Engine) return end(() => resolve(arrive(found)));
          await found;
        }
      };
      if (signal?.aborted) return left();
      signal?.addEventListener('abort', left, { once: true });
      if (signal !== null) stopTimer = clock.after(limits().waitMs, late);
      knock().catch((error: unknown) => end(() => reject(error)));
    });
  }
}

function memoryBusy(waitMs: number): GenerationError {
  const seconds = Math.round(waitMs / 1000);
  return new GenerationError(
    'memory_busy',
    `Other models are answering and leave no memory for this one; ${seconds} s were not enough. Try again later.`,
    RETRY_AFTER,
  );
}
