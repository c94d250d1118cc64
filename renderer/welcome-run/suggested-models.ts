/** Models that a first run offers, of those that are known to be good at their size. Pure. */
import type { Fit } from '../../protocol/fit.js';
import type { HubVariant } from '../../protocol/hub.js';
import { recommendedVariant } from '../discover/variants.js';

export interface SuggestedModel {
  repo: string;
  /** For people. */
  name: string;
  /** Of the variant that most people should take, about: what is said while the hub cannot be asked. */
  bytes: number;
  /** Part of the weights that one token needs, 0..1; less than 1 in a mixture of experts. */
  active: number;
}

/** Largest first. All may be had without an account. */
export const SUGGESTED_MODELS: readonly SuggestedModel[] = [
  { repo: 'Qwen/Qwen3-32B-GGUF', name: 'Qwen3 32B', bytes: 19.8e9, active: 1 },
  { repo: 'Qwen/Qwen3-30B-A3B-GGUF', name: 'Qwen3 30B A3B', bytes: 18.6e9, active: 0.11 },
  { repo: 'ggml-org/gemma-3-27b-it-GGUF', name: 'Gemma 3 27B', bytes: 17.4e9, active: 1 },
  { repo: 'ggml-org/gpt-oss-20b-GGUF', name: 'gpt-oss 20B', bytes: 12.1e9, active: 0.17 },
  { repo: 'Qwen/Qwen3-14B-GGUF', name: 'Qwen3 14B', bytes: 9e9, active: 1 },
  { repo: 'ggml-org/gemma-3-12b-it-GGUF', name: 'Gemma 3 12B', bytes: 8.2e9, active: 1 },
  { repo: 'Qwen/Qwen3-8B-GGUF', name: 'Qwen3 8B', bytes: 5e9, active: 1 },
  { repo: 'ggml-org/gemma-3-4b-it-GGUF', name: 'Gemma 3 4B', bytes: 3.3e9, active: 1 },
  { repo: 'Qwen/Qwen3-4B-GGUF', name: 'Qwen3 4B', bytes: 2.5e9, active: 1 },
  { repo: 'Qwen/Qwen3-1.7B-GGUF', name: 'Qwen3 1.7B', bytes: 1.8e9, active: 1 },
  { repo: 'ggml-org/gemma-3-1b-it-GGUF', name: 'Gemma 3 1B', bytes: 0.8e9, active: 1 },
  { repo: 'Qwen/Qwen3-0.6B-GGUF', name: 'Qwen3 0.6B', bytes: 0.6e9, active: 1 },
];

/** How many are offered: enough to choose between strong and quick, few enough to choose at all. */
export const OFFERS = 3;

/** The next offer is at most so large a part of the one before: two of a size are no choice. */
const NEXT_SHARE = 0.6;

/** What a model takes beside its file: a part for the context, and the engine itself. */
const EXTRA_SHARE = 1.2;
const EXTRA_BYTES = 300_000_000;

/** Whether a model with a file of this size may fit; the engine says it exactly once its header is there. */
export function mayFit(bytes: number, budgetBytes: number): boolean {
  return bytes * EXTRA_SHARE + EXTRA_BYTES <= budgetBytes;
}

/** Whether an offer of this size is a choice beside the last one; null: there is none yet. */
export function isAnother(bytes: number, lastBytes: number | null): boolean {
  return lastBytes === null || bytes <= lastBytes * NEXT_SHARE;
}

/** The offers as far as they can be told without the hub. */
export function likelyOffers(budgetBytes: number): SuggestedModel[] {
  const offers: SuggestedModel[] = [];
  for (const model of SUGGESTED_MODELS) {
    const last = offers.at(-1)?.bytes ?? null;
    if (mayFit(model.bytes, budgetBytes) && isAnother(model.bytes, last)) offers.push(model);
  }
  return offers.slice(0, OFFERS);
}

/** The variant of a repo to be looked at: the usual one where it may fit, else the largest that may; null: none may. */
export function variantToOffer(
  variants: readonly HubVariant[],
  budgetBytes: number,
): HubVariant | null {
  const fitting = variants.filter(({ size_bytes }) => mayFit(size_bytes, budgetBytes));
  return recommendedVariant(fitting) ?? fitting.at(-1) ?? null;
}

/** How quickly a model answers: faster than one reads, about as fast, or slower. */
export type Pace = 'fast' | 'steady' | 'slow';

/**
 * Bytes of weights that a processor reads from memory for each token. Memory gives some 30 GB a second at least: below
 * the first one that makes 20 tokens a second, below the second one 6, about as fast as people read.
 */
const FAST_BYTES = 1.5e9;
const STEADY_BYTES = 5e9;

/** @param active As in SuggestedModel. */
export function paceOf({ weights_bytes, total_bytes, gpu_bytes }: Fit, active: number): Pace {
  const onProcessor = total_bytes > 0 ? Math.max(0, 1 - gpu_bytes / total_bytes) : 1;
  const bytes = weights_bytes * active * onProcessor;
  if (bytes <= FAST_BYTES) return 'fast';
  return bytes <= STEADY_BYTES ? 'steady' : 'slow';
}
