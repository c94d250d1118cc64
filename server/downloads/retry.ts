/** When a download that failed tries again. Pure. */

export interface RetryRules {
  /** First wait in milliseconds; it doubles with each further failure in a row. */
  firstMs: number;
  longestMs: number;
  /** Failures in a row, with no byte between them, after which it gives up. */
  tries: number;
}

/** An hour without network is waited out; by then a person wants to hear of it. */
export const RETRY_RULES: RetryRules = { firstMs: 1_000, longestMs: 60_000, tries: 64 };

/** Longest wait that a server may ask for, in milliseconds. */
const RETRY_AFTER_MAX_MS = 60 * 60_000;

/**
 * Milliseconds until the next try; null: no more.
 * @param failures In a row, from 1.
 * @param retryAfterMs What the server asked for; null: nothing.
 * @param random From 0 to 1: many that failed together do not come back together.
 */
export function retryDelay(
  failures: number,
  retryAfterMs: number | null,
  random: number,
  { firstMs, longestMs, tries }: RetryRules,
): number | null {
  if (failures >= tries) return null;
  const full = Math.min(longestMs, firstMs * 2 ** (failures - 1));
  const asked = Math.min(RETRY_AFTER_MAX_MS, retryAfterMs ?? 0);
  return Math.max(asked, full * (0.5 + random / 2));
}
