/** Where values lie along an axis. Pure. */

export interface Scale {
  /** Of a value, in the units of the picture. */
  at(value: number): number;
  /** Values that are worth a line, ascending. */
  ticks: number[];
}

/** Steps that people read easily; about `n` of them. */
function niceStep(range: number, n: number): number {
  const raw = range / n;
  const power = 10 ** Math.floor(Math.log10(raw));
  const factor = [1, 2, 2.5, 5].find((f) => f * power >= raw) ?? 10;
  return factor * power;
}

/** From 0 to at least `max`, which the last tick reaches. */
export function linearScale(max: number, from: number, to: number, n_ticks = 5): Scale {
  const step = niceStep(max > 0 ? max : 1, n_ticks);
  const n = Math.max(1, Math.ceil(max / step - 1e-9));
  const ticks = Array.from({ length: n + 1 }, (_, i) => Number((i * step).toPrecision(12)));
  return { at: (value) => from + ((to - from) * value) / (n * step), ticks };
}

/**
 * Equal ratios, equal distances. Values below the lowest tick lie at it, since no logarithm reaches 0.
 * @param min greater than 0
 */
export function logScale(min: number, max: number, from: number, to: number): Scale {
  const first = Math.floor(Math.log10(min));
  const powers = Array.from(
    { length: Math.max(1, Math.ceil(Math.log10(max)) - first) + 1 },
    (_, i) => 10 ** (first + i),
  );
  const fine = powers.flatMap((power) => [1, 2, 5].map((f) => Number((f * power).toPrecision(3))));
  const lowest = fine.findLast((tick) => tick <= min) ?? min;
  const highest = fine.find((tick) => tick >= max && tick > lowest) ?? max;
  const within = fine.filter((tick) => tick >= lowest && tick <= highest);
  const isCrowded = within.length > 8;
  const span = Math.log(highest / lowest);
  return {
    at: (value) => from + ((to - from) * Math.log(Math.max(value, lowest) / lowest)) / span,
    ticks: isCrowded ? within.filter((tick) => /^(0\.0*)?10*$/.test(String(tick))) : within,
  };
}
