/** What a model takes, as an engine says before it loads it: for models that others may have to leave for. */
import type { LoadOptions } from '../../protocol/engine-load.js';
import type { FitEstimator, FitWish } from './fit.js';
import type { Bytes } from './room.js';

export interface Measured {
  /** Of the plan that fits, or of the smallest one. */
  needed: Bytes;
  /** All of its layers go to a graphics card now. */
  isWholeOnGpu: boolean;
}

/** Null: it cannot be said. */
export type Measure = (options: LoadOptions) => Promise<Measured | null>;

/** The person asked for nothing in particular. */
const NO_WISH: FitWish = { contextLength: null, parallel: null };

export function measureWith(fits: FitEstimator): Measure {
  return async (options) => {
    const fit = await fits.estimate(options, NO_WISH).catch(() => null);
    if (fit === null) return null;
    return {
      needed: { host: fit.total_bytes - fit.gpu_bytes, all: fit.total_bytes },
      isWholeOnGpu: fit.gpu_layers < 0,
    };
  };
}
