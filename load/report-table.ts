/** The numbers of a report as rows: what is measured, then a value for each level. Pure. */
import type { Report } from './report.js';
import type { CountedBy, LevelSummary, Times } from './summary.js';
import { ms, table } from './table.js';

const COUNTED_BY: Record<CountedBy, string> = {
  server: 'server',
  client: 'server, client',
  estimate: 'client (estimate)',
};

const whole = (value: number) => value.toLocaleString('en-US', { maximumFractionDigits: 0 });
const known = (value: number | null, show: (value: number) => string) =>
  value === null ? '–' : show(value);
/** Of the requests whose prompt the server counted. */
const mean = (total: number | null, { rows }: LevelSummary) =>
  known(total, (tokens) => whole(tokens / rows.filter((row) => row.prompt_tokens !== null).length));

type Row = [label: string, value: (level: LevelSummary) => string];

const timeRows = (
  name: string,
  times: (level: LevelSummary) => Times,
  columns: readonly Column[],
) =>
  columns.map(
    (column): Row => [`${name} ${column}, ms`, (level) => known(times(level)[column], ms)],
  );
type Column = 'p50' | 'p95' | 'p99' | 'max';

const ROWS: readonly Row[] = [
  ['requests', ({ requests }) => whole(requests)],
  ['ok', ({ ok }) => whole(ok)],
  ['failed', ({ failed }) => whole(failed)],
  ['protocol errors', ({ protocol_errors }) => whole(protocol_errors)],
  ['output tokens/s', ({ output_tokens_per_s }) => output_tokens_per_s.toFixed(1)],
  ['output tokens', ({ output_tokens }) => whole(output_tokens)],
  ['counted by', ({ counted_by }) => COUNTED_BY[counted_by]],
  ['prompt tokens, mean', (level) => mean(level.prompt_tokens, level)],
  ['of them cached', (level) => mean(level.cached_tokens, level)],
  ...timeRows('first token', ({ ttft }) => ttft, ['p50', 'p95', 'max']),
  ...timeRows('inter-token', ({ inter_token }) => inter_token, ['p50', 'p95', 'p99', 'max']),
];

export const levelName = ({ concurrency }: LevelSummary) => `${concurrency} at once`;

export function reportRows({ levels }: Report): string[][] {
  return ROWS.map(([label, value]) => [label, ...levels.map(value)]);
}

export function reportTable(report: Report): string {
  return table(['', ...report.levels.map(levelName)], reportRows(report), { numbers: 'right' });
}
