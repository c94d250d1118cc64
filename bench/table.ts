/** Markdown tables that also read well in a terminal, and numbers as they stand in them. */

export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  options: { aligned?: boolean } = {},
): string {
  const aligned = options.aligned ?? true;
  const widths = head.map((title, i) =>
    aligned ? Math.max(3, title.length, ...rows.map((row) => row[i]?.length ?? 0)) : 0,
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(Math.max(3, width))).join(' | ')} |`;
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
