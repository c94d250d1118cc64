/** Pure: quantiles of what was measured. */

export interface Quantiles {
  p50: number;
  p95: number;
  max: number;
}

/** The times between arrivals. */
export function gaps(arrivals: readonly number[]): number[] {
  return arrivals.slice(1).map((time, i) => time - (arrivals[i] ?? time));
}

export function ascending(values: readonly number[]): number[] {
  return [...values].sort((a, b) => a - b);
}

/** NaN where there are no values. */
export function quantiles(values: readonly number[]): Quantiles {
  const sorted = ascending(values);
  return { p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95), max: quantile(sorted, 1) };
}

/** Between the two nearest values of an ascending list, in proportion; NaN for an empty list. */
export function quantile(sorted: readonly number[], q: number): number {
  const at = (sorted.length - 1) * q;
  const below = sorted[Math.floor(at)] ?? Number.NaN;
  const above = sorted[Math.ceil(at)] ?? Number.NaN;
  return below + (above - below) * (at - Math.floor(at));
}
