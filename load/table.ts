/** Markdown tables that also read well in a terminal, and numbers as they stand in them. */

/** @param options.numbers where the cells of all columns but the first stand */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  options: { aligned?: boolean; numbers?: 'left' | 'right' } = {},
): string {
  const { aligned = true, numbers = 'left' } = options;
  const widths = head.map((title, i) =>
    aligned ? Math.max(3, title.length, ...rows.map((row) => row[i]?.length ?? 0)) : 0,
  );
  const isRight = (column: number) => numbers === 'right' && column > 0;
  const pad = (cell: string, i: number) =>
    isRight(i) ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0);
  const line = (cells: readonly string[]) => `| ${cells.map(pad).join(' | ')} |`;
  const dashes = (width: number, i: number) =>
    isRight(i) ? `${'-'.repeat(Math.max(3, width) - 1)}:` : '-'.repeat(Math.max(3, width));
  const rule = `| ${widths.map(dashes).join(' | ')} |`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

const UNKNOWN = '–';

/** Milliseconds: three figures. */
export function ms(value: number): string {
  if (!Number.isFinite(value)) return UNKNOWN;
  return value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : value.toFixed(0);
}

/** A share of one core. */
export function percent(share: number | null): string {
  return share === null ? UNKNOWN : `${(share * 100).toFixed(0)} %`;
}

export function megabytes(bytes: number | null): string {
  return bytes === null ? UNKNOWN : (bytes / 2 ** 20).toFixed(0);
}

export function ratio(value: number): string {
  return Number.isFinite(value) ? value.toFixed(3) : UNKNOWN;
}
