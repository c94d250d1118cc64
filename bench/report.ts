/**
 * Writes the measured part of docs/performance.md from files with results, so that no number there is typed:
 *
 *   npx tsx bench/report.ts results.json [more.json …]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { megabytes, ms, percent, ratio, table } from '../load/table.js';
import { REPO } from '../scripts/setup/paths.mjs';
import type { Conditions } from './conditions.js';
import { type Results, readResults, type Series, type Verdict, verdicts } from './results.js';
import { spread } from './statistics.js';
import { type Measurement, WORKLOADS } from './workloads.js';

const BEGIN = '<!-- measured: written by bench/report.ts -->';
const END = '<!-- end of what was measured -->';
const DOCUMENT = path.join(REPO, 'docs', 'performance.md');

export function report({ conditions, series }: Results): string {
  const byWorkload = new Map<string, Series[]>();
  for (const item of series) {
    byWorkload.set(item.workload, [...(byWorkload.get(item.workload) ?? []), item]);
  }
  const parts = [...byWorkload].map(([workload, list]) =>
    workload === 'soak' ? soakPart(list) : workloadPart(workload, list),
  );
  return [conditionsPart(conditions), ...parts].join('\n\n');
}

function conditionsPart(conditions: Conditions): string {
  const { processor, cores, memoryBytes, system, node, build, date, commit, loadAverage, threads } =
    conditions;
  return [
    `- Machine: ${processor}, ${cores} cores, ${Math.round(memoryBytes / 2 ** 30)} GiB, ${system}; ` +
      `load average at the start ${loadAverage.toFixed(2)}`,
    `- Pilotlight ${commit} on Node.js ${node}, ${date.slice(0, 10)}; ${threads} compute threads in each server where no other number is named`,
    `- Kernels of all three: ${build}`,
  ].join('\n');
}

const TITLES: Record<string, string> = {
  'node-llama-cpp':
    'node-llama-cpp: the same short chat, 4 sequences, in its own process without HTTP',
};

function workloadPart(workload: string, list: readonly Series[]): string {
  const title = WORKLOADS[workload as keyof typeof WORKLOADS]?.title ?? TITLES[workload];
  const rows = list.flatMap((series) => [
    measuredRow(series, 'Pilotlight', ({ ours }) => ours),
    measuredRow(series, workload === 'node-llama-cpp' ? workload : 'llama-server', (r) => r.peer),
    boundRow(series),
  ]);
  return [
    `### ${title ?? workload}`,
    table(
      [
        'streams',
        '',
        'tokens/s',
        'TTFT p50 / p95 ms',
        'ITL p50 / p95 / max ms',
        'CPU',
        'other CPU',
        'MiB',
      ],
      rows.filter((row) => row !== null),
      { aligned: false },
    ),
    table(
      ['streams', 'ratio', 'median', 'quartiles', 'min to max', 'rounds', 'wanted'],
      list.flatMap((series) => verdicts(series).map((verdict) => ratioRow(series, verdict))),
      { aligned: false },
    ),
  ].join('\n\n');
}

type Pick = (round: Series['rounds'][number]) => Measurement | null;

/** Medians of the rounds. */
function measuredRow(series: Series, name: string, pick: Pick): string[] | null {
  const summaries = series.rounds
    .map(pick)
    .filter((m) => m !== null)
    .map(({ summary }) => summary);
  if (summaries.length === 0) return null;
  type Value = (summary: (typeof summaries)[number]) => number | null;
  const median = (value: Value) => spread(summaries.map(value)).median;
  const known = (value: number) => (Number.isFinite(value) ? value : null);
  return [
    String(series.streams),
    name,
    median((s) => s.tokensPerSecond).toFixed(1),
    `${ms(median((s) => s.ttftMs.p50))} / ${ms(median((s) => s.ttftMs.p95))}`,
    [median((s) => s.itlMs.p50), median((s) => s.itlMs.p95), median((s) => s.itlMs.max)]
      .map(ms)
      .join(' / '),
    percent(known(median((s) => s.serverCpu))),
    percent(known(median((s) => s.otherCpu))),
    megabytes(known(median((s) => s.serverRss))),
  ];
}

function boundRow(series: Series): string[] | null {
  const bound = spread(series.rounds.map((round) => round.bound?.tokensPerSecond ?? null));
  if (bound.rounds === 0) return null;
  return [String(series.streams), 'raw bound', bound.median.toFixed(1), '', '', '', '', ''];
}

function ratioRow({ streams }: Series, verdict: Verdict): string[] {
  const { name, ratio: r, target, better, isReached } = verdict;
  const wanted = target === null ? '' : `${better === 'higher' ? '≥' : '≤'} ${target}`;
  return [
    String(streams),
    name,
    ratio(r.median),
    `${ratio(r.low)} to ${ratio(r.high)}`,
    `${ratio(r.min)} to ${ratio(r.max)}`,
    String(r.rounds),
    isReached === null ? wanted : `${wanted}: ${isReached ? 'reached' : 'not reached'}`,
  ];
}

function soakPart(list: readonly Series[]): string {
  const rows = list.flatMap(({ rounds }) =>
    rounds.flatMap(({ ours }) =>
      Object.entries(ours.figures).map(([name, value]) => [
        name.replaceAll('_', ' '),
        value.toFixed(Number.isInteger(value) ? 0 : 2),
      ]),
    ),
  );
  return ['### Many requests, and the event loops', table(['', ''], rows, { aligned: false })].join(
    '\n\n',
  );
}

/** @throws Error where the document does not have the two marks */
export function withReport(document: string, text: string): string {
  const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (begin < 0 || end < begin)
    throw new Error(`${DOCUMENT} lacks the lines "${BEGIN}", "${END}".`);
  return `${document.slice(0, begin + BEGIN.length)}\n\n${text}\n\n${document.slice(end)}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = process.argv.slice(2);
  if (files.length === 0) {
    console.error('Usage: npx tsx bench/report.ts RESULTS.json [MORE.json …]');
    process.exit(2);
  }
  writeFileSync(DOCUMENT, withReport(readFileSync(DOCUMENT, 'utf8'), report(readResults(files))));
}
