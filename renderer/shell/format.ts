/** Numbers, sizes and times as the window shows them, in its language. */
import { currentLanguage, t } from '../i18n/i18n.js';

const formats = new Map<string, Intl.NumberFormat>();

/** Making one takes long enough to be felt in a list. */
function number(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const language = currentLanguage();
  const key = `${language} ${JSON.stringify(options)}`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.NumberFormat(language, options);
    formats.set(key, format);
  }
  return format;
}

const digits = (count: number): Intl.NumberFormatOptions => ({
  minimumFractionDigits: count,
  maximumFractionDigits: count,
});
const WHOLE = digits(0);
const TENTHS = digits(1);
const COMPACT: Intl.NumberFormatOptions = { notation: 'compact', maximumFractionDigits: 1 };

/** "1,234" */
export function formatCount(count: number): string {
  return number(WHOLE).format(count);
}

/** "0.05", "-2" */
export function formatNumber(value: number): string {
  return number({}).format(value);
}

/** "1 token", "1,200 tokens" */
export function formatTokens(count: number): string {
  return t('units.tokens', { n: count });
}

/** "950", "7.6B", "1.2M" */
export function formatCompact(count: number): string {
  return number(COMPACT).format(count);
}

/** Tokens of a context: "512", "32K", "1M"; thousands are of 1,024, as contexts are made. */
export function formatContext(tokens: number): string {
  if (tokens < 1024) return formatCount(tokens);
  const thousands = tokens / 1024;
  if (thousands < 1000) return t('units.context_thousands', { n: formatCount(thousands) });
  const millions = number({ maximumFractionDigits: 1 }).format(thousands / 1024);
  return t('units.context_millions', { n: millions });
}

const BYTE_UNITS = ['kilobytes', 'megabytes', 'gigabytes', 'terabytes'] as const;

/** Decimal units, as file managers show them, and as protocol/bytes.ts writes them: "512 KB", "4.4 MB", "16 GB". */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return t('units.bytes', { n: formatCount(bytes) });
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < BYTE_UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const n = number(value < 9.95 ? TENTHS : WHOLE).format(value);
  return t(`units.${BYTE_UNITS[unit] ?? 'terabytes'}`, { n });
}

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
  const ages = new Intl.RelativeTimeFormat(currentLanguage(), { numeric: 'auto' });
  const ms = then - now;
  for (const [unit, length] of AGE_UNITS) {
    if (Math.abs(ms) >= length) return ages.format(Math.trunc(ms / length), unit);
  }
  return ages.format(0, 'second');
}

/** "7.4 tokens/s", "182 tokens/s" */
export function formatSpeed(tokensPerSecond: number): string {
  const n = number(tokensPerSecond < 99.95 ? TENTHS : WHOLE).format(tokensPerSecond);
  return t('units.speed', { n });
}

/** "85 ms", "1.2 s", "2 min 5 s" */
export function formatDuration(ms: number): string {
  if (ms < 999.5) return t('units.milliseconds', { n: formatCount(ms) });
  const seconds = ms / 1000;
  if (seconds < 9.995) {
    const exact = number({ minimumFractionDigits: 1, maximumFractionDigits: 2 });
    return t('units.seconds', { n: exact.format(seconds) });
  }
  return wholeSeconds(Math.round(seconds));
}

/** Whole seconds for people: "less than a second", "3 s", "2 min 5 s" */
export function formatThinkingTime(ms: number): string {
  return ms < 1000 ? t('units.under_a_second') : wholeSeconds(Math.round(ms / 1000));
}

function wholeSeconds(all: number): string {
  if (all < 60) return t('units.seconds', { n: formatCount(all) });
  return t('units.minutes_seconds', { minutes: Math.floor(all / 60), seconds: all % 60 });
}

/** 0..1 as "42 %"; never 100 % before the end. */
export function formatPercent(fraction: number): string {
  return t('units.percent', { n: Math.floor(Math.min(Math.max(fraction, 0), 1) * 100 + 1e-9) });
}

/** An answer as a screen reader should say it when it has ended: without marks and code, at most `max` characters. */
export function speakable(markdown: string, max = 600): string {
  const text = markdown
    .replace(/^(```|~~~).*$[\s\S]*?(?:^\1|(?![\s\S]))/gm, ` ${t('units.code')} `)
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^[ \t]*(?:[#>]+|[-*+]|\|)[ \t]*/gm, '')
    .replace(/[*_`|]+/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return text.length <= max ? text : `${text.slice(0, max).trimEnd()}…`;
}
