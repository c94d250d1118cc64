/** Numbers and sizes as the window shows them. */

const number = (digits: number) =>
  new Intl.NumberFormat('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
const whole = number(0);
const tenths = number(1);
const hundredths = number(2);

/** "1,234" */
export function formatCount(count: number): string {
  return whole.format(count);
}

/** "1 token", "2 tokens" */
export function formatTokens(count: number): string {
  return `${whole.format(count)} ${count === 1 ? 'token' : 'tokens'}`;
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** "950", "7.6B", "1.2M" */
export function formatCompact(count: number): string {
  return compact.format(count);
}

/** Tokens of a context: "512", "32K", "1M"; thousands are of 1,024, as contexts are made. */
export function formatContext(tokens: number): string {
  if (tokens < 1024) return whole.format(tokens);
  const thousands = tokens / 1024;
  if (thousands < 1000) return `${whole.format(thousands)}K`;
  return `${compact.format(thousands / 1024)}M`;
}

const ages = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const AGE_UNITS = [
  ['year', 31_557_600_000],
  ['month', 2_629_800_000],
  ['week', 604_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** A moment as seen from `now`, both in Unix milliseconds: "3 days ago", "last month", "now". */
export function formatAge(then: number, now: number): string {
  const ms = then - now;
  for (const [unit, length] of AGE_UNITS) {
    if (Math.abs(ms) >= length) return ages.format(Math.trunc(ms / length), unit);
  }
  return ages.format(0, 'second');
}

/** "7.4 tokens/s", "182 tokens/s" */
export function formatSpeed(tokensPerSecond: number): string {
  const format = tokensPerSecond < 99.95 ? tenths : whole;
  return `${format.format(tokensPerSecond)} tokens/s`;
}

/** "85 ms", "1.2 s", "2 min 5 s" */
export function formatDuration(ms: number): string {
  if (ms < 999.5) return `${whole.format(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 9.995) return `${hundredths.format(seconds).replace(/0$/, '')} s`;
  if (seconds < 59.5) return `${whole.format(seconds)} s`;
  const all = Math.round(seconds);
  return `${Math.floor(all / 60)} min ${all % 60} s`;
}

/** Whole seconds for people: "less than a second", "3 s", "2 min 5 s" */
export function formatThinkingTime(ms: number): string {
  if (ms < 1000) return 'less than a second';
  return formatDuration(Math.max(Math.round(ms / 1000), 1) * 1000).replace('.0', '');
}

/** 0..1 as "42 %"; never 100 % before the end. */
export function formatPercent(fraction: number): string {
  return `${Math.floor(Math.min(Math.max(fraction, 0), 1) * 100 + 1e-9)} %`;
}

/** An answer as a screen reader should say it when it has ended: without marks and code, at most `max` characters. */
export function speakable(markdown: string, max = 600): string {
  const text = markdown
    .replace(/^(```|~~~).*$[\s\S]*?(?:^\1|(?![\s\S]))/gm, ' (code) ')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^[ \t]*(?:[#>]+|[-*+]|\|)[ \t]*/gm, '')
    .replace(/[*_`|]+/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return text.length <= max ? text : `${text.slice(0, max).trimEnd()}…`;
}
