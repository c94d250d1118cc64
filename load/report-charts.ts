/** The charts of a report. Pure. */
import { type Axis, type Chart, chart, PLOT, type Point, type Series } from './chart.js';
import type { Report } from './report.js';
import { levelName } from './report-table.js';
import { linearScale, logScale } from './scale.js';
import type { LevelSummary, Times } from './summary.js';
import { ms } from './table.js';

/** Milliseconds below which nobody tells a difference; packets with several events give gaps of 0. */
const SHORTEST_MS = 0.1;

export interface ReportChart {
  title: string;
  /** One sentence on what is seen. */
  caption: string;
  svg: string;
}

/** Empty where nothing came to be shown. */
export function reportCharts({ levels }: Report): ReportChart[] {
  return [
    distribution(
      'ttft',
      'Time to first token',
      'Share of requests that had their first token by then.',
      levels,
      ({ ttft }) => ttft,
    ),
    distribution(
      'inter-token',
      'Inter-token time',
      'Share of the gaps within answers that were no longer.',
      levels,
      ({ inter_token }) => inter_token,
    ),
    throughput(levels),
    firstTokens(levels),
  ].filter((one) => one !== null);
}

function distribution(
  id: string,
  title: string,
  caption: string,
  levels: readonly LevelSummary[],
  times: (level: LevelSummary) => Times,
): ReportChart | null {
  const all = levels.flatMap((level) => times(level).percentiles);
  if (all.length === 0) return null;
  const scale = logScale(
    Math.max(SHORTEST_MS, Math.min(...all)),
    Math.max(SHORTEST_MS * 2, ...all),
    ...HORIZONTAL,
  );
  return made(caption, {
    ...{ id, title },
    description: levels.map((level) => `${levelName(level)}: ${spoken(times(level))}`).join('; '),
    x: { label: 'milliseconds', scale, show: plain },
    y: { ...SHARE },
    series: levels.map((level, look) => ({
      look,
      line: times(level).percentiles.map((x, i) => ({ x, y: i })),
      marks: marksOf(level, times(level)),
    })),
  });
}

function marksOf(level: LevelSummary, times: Times): Series['marks'] {
  return ([50, 95, 99] as const).flatMap((percent) => {
    const x = times[`p${percent}`];
    const title = `${levelName(level)}: p${percent} ${x === null ? '' : ms(x)} ms`;
    return x === null ? [] : [{ x, y: percent, title }];
  });
}

function throughput(levels: readonly LevelSummary[]): ReportChart | null {
  if (levels.every(({ output_tokens }) => output_tokens === 0)) return null;
  const highest = Math.max(
    ...levels.flatMap((level) => level.throughput.map(({ tokens_per_s }) => tokens_per_s)),
  );
  return made('Output tokens per second, from the beginning of each level to its end.', {
    ...{ id: 'throughput', title: 'Throughput over time' },
    description: levels
      .map(
        (level) => `${levelName(level)}: ${level.output_tokens_per_s.toFixed(1)} tokens/s overall`,
      )
      .join('; '),
    x: seconds(levels),
    y: { label: 'tokens/s', scale: linearScale(highest, ...VERTICAL), show: plain },
    series: levels.map((level, look) => ({
      look,
      line: middles(level),
      marks: level.throughput.length > 1 ? [] : single(level),
    })),
  });
}

/** Each stretch by its middle. */
function middles({ throughput: stretches, wall_ms }: LevelSummary): Point[] {
  const halfMs = wall_ms / stretches.length / 2;
  return stretches.map(({ at_ms, tokens_per_s }) => ({
    ...{ x: (at_ms + halfMs) / 1000, y: tokens_per_s },
  }));
}

function single(level: LevelSummary): Series['marks'] {
  const [stretch] = level.throughput;
  if (!stretch) return [];
  const title = `${levelName(level)}: ${stretch.tokens_per_s.toFixed(1)} tokens/s`;
  return [{ x: level.wall_ms / 2000, y: stretch.tokens_per_s, title }];
}

function firstTokens(levels: readonly LevelSummary[]): ReportChart | null {
  const known = levels.flatMap(({ ttft }) => ttft.max ?? []);
  if (known.length === 0) return null;
  return made('Each request: when it began, and how long its first token took.', {
    ...{ id: 'first-tokens', title: 'First tokens over time' },
    description: levels
      .map((level) => `${levelName(level)}: ${level.requests} requests, ${spoken(level.ttft)}`)
      .join('; '),
    x: seconds(levels),
    y: { label: 'milliseconds', scale: linearScale(Math.max(...known), ...VERTICAL), show: plain },
    series: levels.map((level, look) => ({ look, line: [], marks: requestMarks(level) })),
  });
}

/** More dots than this only make a page slow; every so-manyth request is shown then. */
const DOTS = 1500;

function requestMarks(level: LevelSummary): Series['marks'] {
  const every = Math.ceil(level.rows.length / DOTS);
  return level.rows
    .filter((_, i) => i % every === 0)
    .flatMap(({ begun_ms, ttft_ms }) => {
      if (ttft_ms === null) return [];
      const title = `${levelName(level)}: begun at ${(begun_ms / 1000).toFixed(1)} s, first token after ${ms(ttft_ms)} ms`;
      return [{ x: begun_ms / 1000, y: ttft_ms, title }];
    });
}

const HORIZONTAL = [PLOT.left, PLOT.right] as const;
const VERTICAL = [PLOT.bottom, PLOT.top] as const;

const SHARE: Axis = {
  label: 'share',
  scale: linearScale(100, ...VERTICAL),
  show: (value) => `${value} %`,
};

function seconds(levels: readonly LevelSummary[]): Axis {
  const longest = Math.max(...levels.map(({ wall_ms }) => wall_ms)) / 1000;
  return { label: 'seconds', scale: linearScale(longest, ...HORIZONTAL, 8), show: plain };
}

const plain = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: 6 });

function spoken({ p50, p95, max }: Times): string {
  if (p50 === null || p95 === null || max === null) return 'nothing came';
  return `median ${ms(p50)} ms, 95th percentile ${ms(p95)} ms, longest ${ms(max)} ms`;
}

function made(caption: string, drawing: Chart): ReportChart {
  return { title: drawing.title, caption, svg: chart(drawing) };
}
