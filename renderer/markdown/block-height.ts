/** How much room a block of Markdown takes before it is drawn, so that little moves when it is. */

/** CSS pixels, at the usual size of text. */
const LINE = 26;
const LINE_OF_CODE = 21;
const CODE_HEAD = 64;
const TABLE_ROW = 38;
const DISPLAYED_FORMULA = 76;
/** Characters that fit into a line of the column. */
const LINE_LENGTH = 88;
/** More are forgotten: whoever scrolls that far comes back to places that are guessed again. */
const KNOWN_MAX = 5_000;

const known = new Map<string, number>();

/** What it was when it was drawn last, else a guess. CSS pixels. */
export function blockHeight(markdown: string): number {
  return known.get(markdown) ?? guessBlockHeight(markdown);
}

export function keepBlockHeight(markdown: string, height: number): void {
  if (known.size >= KNOWN_MAX) known.clear();
  known.set(markdown, height);
}

export function guessBlockHeight(markdown: string): number {
  const lines = markdown.trim().split('\n');
  const [first = ''] = lines;
  if (/^\s*(```|~~~)/.test(first)) return CODE_HEAD + Math.max(lines.length - 2, 1) * LINE_OF_CODE;
  if (/^\s*\$\$/.test(first)) return DISPLAYED_FORMULA;
  if (/^\s*\|/.test(first)) return Math.max(lines.length - 1, 1) * TABLE_ROW;
  const rows = lines.reduce(
    (sum, line) => sum + Math.max(Math.ceil(line.length / LINE_LENGTH), 0),
    0,
  );
  return Math.max(rows, 1) * LINE;
}
