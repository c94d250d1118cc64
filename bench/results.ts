/** What a run writes down, and what is read out of it: ratios of paired rounds beside the wanted ones. */
import { readFileSync } from 'node:fs';
import type { Conditions } from './conditions.js';
import type { RawBound } from './raw-bound.js';
import { type Spread, spread } from './statistics.js';
import type { Measurement } from './workloads.js';

/** What was measured in turn within a short time, and so is compared. */
export interface Round {
  ours: Measurement;
  /** Null: there is none for this workload, or it was not wanted. */
  peer: Measurement | null;
  bound: RawBound | null;
}

export interface Series {
  /** A workload of workloads.ts, `soak` or `node-llama-cpp`. */
  workload: string;
  streams: number;
  rounds: Round[];
}

export interface Results {
  conditions: Conditions;
  series: Series[];
}

export interface Comparison {
  /** What is compared, with what. */
  name: string;
  /** Null: the round does not have it. */
  value(round: Round): number | null;
  /** The wanted ratio for this number of streams; null: only told. */
  target(streams: number): number | null;
  better: 'higher' | 'lower';
}

type Figure = (measurement: Measurement) => number | undefined;

const tokensPerSecond: Figure = ({ summary }) => summary.tokensPerSecond;
const withPeer =
  (figure: Figure) =>
  ({ ours, peer }: Round) => {
    const [mine, theirs] = [figure(ours), peer && figure(peer)];
    return mine == null || theirs == null ? null : mine / theirs;
  };
const withBound = ({ ours, bound }: Round) =>
  bound && ours.summary.tokensPerSecond / bound.tokensPerSecond;
const always = (target: number) => () => target;
const at = (streams: number, target: number) => (n: number) => (n === streams ? target : null);

const throughput = (target: Comparison['target']): Comparison => ({
  ...{ name: 'tokens/s ÷ llama-server', value: withPeer(tokensPerSecond), target },
  better: 'higher',
});
const bound = (target: Comparison['target']): Comparison => ({
  ...{ name: 'tokens/s ÷ raw bound', value: withBound, target, better: 'higher' },
});
const latency = (name: string, figure: Figure, target: Comparison['target']): Comparison => ({
  ...{ name: `${name} ÷ llama-server`, value: withPeer(figure), target, better: 'lower' },
});
const ttft = [
  latency('TTFT p50', ({ summary }) => summary.ttftMs.p50, at(16, 0.7)),
  latency('TTFT p95', ({ summary }) => summary.ttftMs.p95, at(16, 0.9)),
];

/** Before, the streams are short; after, they are as long as when the worst gap came. */
const ownGap = (over: string, figure: string): Comparison => ({
  name: `own worst gap ÷ ${over}`,
  value: ({ ours }) => ours.figures[figure] ?? null,
  ...{ target: always(3), better: 'lower' },
});

const COMPARISONS: Record<string, readonly Comparison[]> = {
  chat: [bound(always(0.93)), throughput((n) => (n === 1 ? 1.0 : 1.1)), ...ttft],
  prefix: [latency('total time', ({ summary }) => summary.wallMs, always(0.4)), bound(() => null)],
  arrival: [
    latency('worst gap', ({ figures }) => figures.worst_gap_ms, always(0.35)),
    ownGap('own median gap before', 'worst_over_median'),
    ownGap('own median gap after', 'worst_over_median_after'),
    ownGap('own median gap of all', 'worst_over_median_of_all'),
    latency(
      'TTFT of the long prompt',
      ({ figures }) => figures.long_prompt_ttft_ms,
      () => null,
    ),
  ],
  overhead: [bound(always(0.85)), throughput(at(16, 1.05))],
  edit: [throughput(always(1.0)), bound(() => null)],
  'node-llama-cpp': [
    {
      ...{ name: 'tokens/s ÷ node-llama-cpp', value: withPeer(tokensPerSecond) },
      ...{ target: always(1.5), better: 'higher' },
    },
  ],
};

export interface Verdict {
  name: string;
  ratio: Spread;
  target: number | null;
  better: 'higher' | 'lower';
  /** Whether the median reaches the target; null where there is none. */
  isReached: boolean | null;
}

/** What the rounds of one series say; comparisons that no round has are left out. */
export function verdicts({ workload, streams, rounds }: Series): Verdict[] {
  return (COMPARISONS[workload] ?? []).flatMap(({ name, value, target: of, better }) => {
    const ratio = spread(rounds.map(value));
    if (ratio.rounds === 0) return [];
    const target = of(streams);
    const isMore = target !== null && ratio.median >= target;
    const isLess = target !== null && ratio.median <= target;
    const isReached = target === null ? null : better === 'higher' ? isMore : isLess;
    return [{ name, ratio, target, better, isReached }];
  });
}

/** Rounds of the same series in several files are put together; the conditions are the first file's. */
export function readResults(files: readonly string[]): Results {
  const all = files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as Results);
  const [first] = all;
  if (first === undefined) throw new Error('There is no file with results.');
  const series = new Map<string, Series>();
  for (const item of all.flatMap((results) => results.series)) {
    const key = `${item.workload}/${item.streams}`;
    const known = series.get(key);
    if (known) known.rounds.push(...item.rounds);
    else series.set(key, { ...item, rounds: [...item.rounds] });
  }
  return { conditions: first.conditions, series: [...series.values()] };
}
