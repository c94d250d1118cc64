/** Pure: quantiles of one run, and what many paired rounds say together. */

export interface Quantiles {
  p50: number;
  p95: number;
  max: number;
}

/** Median of the rounds' ratios, and how far they lie apart. */
export interface Spread {
  median: number;
  /** First and third quartile. */
  low: number;
  high: number;
  min: number;
  max: number;
  rounds: number;
}

/** The times between arrivals. */
export function gaps(arrivals: readonly number[]): number[] {
  return arrivals.slice(1).map((time, i) => time - (arrivals[i] ?? time));
}

export function quantiles(values: readonly number[]): Quantiles {
  const sorted = ascending(values);
  return { p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95), max: quantile(sorted, 1) };
}

/** Rounds that have no number for this are left out; with none at all every field is NaN. */
export function spread(values: readonly (number | null)[]): Spread {
  const sorted = ascending(values.filter((value) => value !== null && Number.isFinite(value)));
  return {
    median: quantile(sorted, 0.5),
    low: quantile(sorted, 0.25),
    high: quantile(sorted, 0.75),
    min: quantile(sorted, 0),
    max: quantile(sorted, 1),
    rounds: sorted.length,
  };
}

function ascending(values: readonly (number | null)[]): number[] {
  return values.map(Number).sort((a, b) => a - b);
}

/** Between the two nearest values of an ascending list, in proportion; NaN for an empty list. */
export function quantile(sorted: readonly number[], q: number): number {
  const at = (sorted.length - 1) * q;
  const below = sorted[Math.floor(at)] ?? Number.NaN;
  const above = sorted[Math.ceil(at)] ?? Number.NaN;
  return below + (above - below) * (at - Math.floor(at));
}
