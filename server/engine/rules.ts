/** What the person has set, as the pool needs it. Asked anew each time, so that a change holds at once. */
import type { LoadOptions } from '../../protocol/engine-load.js';

/** How a model is loaded, apart from what the moment decides. */
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
  | 'rpc'
>;

/** Of one model. */
export interface ModelRules {
  load: LoadSettings;
  /** Seconds without a request until it leaves memory; null: never. */
  ttl: number | null;
  /** It makes no room for others. */
  isPinned: boolean;
}

/** For all models together. */
export interface PoolLimits {
  /** What they may take, over all devices; null: what the system has free. */
  budgetBytes: number | null;
  /** How long a request may wait for memory, milliseconds. */
  waitMs: number;
}
