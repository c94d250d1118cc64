/** Crashes further back than this, in milliseconds, are forgotten. */
const MEMORY_MS = 60_000;
/**
 * Wait before each new start, in milliseconds. The first is short, since most crashes do not come twice; four crashes
 * within the memory mean that another start would only repeat them.
 */
const DELAYS_MS = [250, 1_000, 4_000];

/**
 * @param crashes times of all crashes so far, the latest last, on a monotonic clock in milliseconds
 * @returns wait before the next start in milliseconds; null: stop trying and ask the person
 */
export function restartDelay(crashes: readonly number[]): number | null {
  const latest = crashes.at(-1) ?? 0;
  const recent = crashes.filter((time) => latest - time < MEMORY_MS).length;
  return DELAYS_MS[recent - 1] ?? null;
}
