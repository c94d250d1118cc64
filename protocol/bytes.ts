/** Sizes for people: one rule for the window, the terminal and the sentences of the server, which stand side by side. */
const number = (digits: number) =>
  new Intl.NumberFormat('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
const whole = number(0);
const tenths = number(1);

/** Decimal units, as file managers show them: "512 KB", "4.4 MB", "16 GB". */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${whole.format(bytes)} B`;
  const units = ['KB', 'MB', 'GB', 'TB'];
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 9.95 ? tenths.format(value) : whole.format(value)} ${units[unit]}`;
}
