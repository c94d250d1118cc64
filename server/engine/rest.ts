/** How long a model stays in memory when nobody asks for it. Pure. */

export interface Resting {
  status: string;
  /** Those that run on it or wait for it. */
  users: number;
  /** Since when nobody uses it, milliseconds of the clock. */
  idleSince: number;
}

/**
 * When a model leaves, in milliseconds of the clock; null: not by itself.
 * @param ttl Seconds; null: never.
 */
export function leavesAt({ status, users, idleSince }: Resting, ttl: number | null): number | null {
  return status !== 'loaded' || users > 0 || ttl === null ? null : idleSince + ttl * 1000;
}
