/** Pure: what many paired rounds say together. */
import { ascending, quantile } from '../load/statistics.js';

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

/** Rounds that have no number for this are left out; with none at all every field is NaN. */
export function spread(values: readonly (number | null)[]): Spread {
  const sorted = ascending(
    values.flatMap((value) => (value !== null && Number.isFinite(value) ? value : [])),
  );
  return {
    median: quantile(sorted, 0.5),
    low: quantile(sorted, 0.25),
    high: quantile(sorted, 0.75),
    min: quantile(sorted, 0),
    max: quantile(sorted, 1),
    rounds: sorted.length,
  };
}
