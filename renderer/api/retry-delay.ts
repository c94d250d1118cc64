/** Longest wait between two tries: short enough that a restarted server is found while the person looks. */
const RETRY_MS_MAX = 8000;

/** Milliseconds to wait before try number `attempt` (from 1); `random` in 0..1 spreads the windows of one server. */
export function retryDelay(attempt: number, random: number): number {
  return Math.min(500 * 2 ** (attempt - 1), RETRY_MS_MAX) * (0.75 + random / 4);
}
