import { t } from '../i18n/i18n.js';

/** Times after which an idle model may leave memory, in seconds. */
const USUAL = [300, 900, 1800, 3600, 14_400, 86_400];

/** Seconds without a request until a model leaves memory, in words; null: it stays. */
export function idleWords(seconds: number | null): string {
  if (seconds === null) return t('settings.idle_never');
  if (seconds === 0) return t('settings.idle_at_once');
  if (seconds % 86_400 === 0) return t('settings.idle_days', { n: seconds / 86_400 });
  if (seconds % 3600 === 0) return t('settings.idle_hours', { n: seconds / 3600 });
  if (seconds % 60 === 0) return t('settings.idle_minutes', { n: seconds / 60 });
  return t('settings.idle_seconds', { n: seconds });
}

/** The times to choose from, with the one that is set: it may have come from elsewhere. */
export function idleChoices(current: number | null): { value: string; label: string }[] {
  const times = [...new Set([...USUAL, ...(current === null ? [] : [current])])];
  times.sort((a, b) => a - b);
  return [...times, null].map((time) => ({ value: idleValue(time), label: idleWords(time) }));
}

export function idleValue(seconds: number | null): string {
  return seconds === null ? 'never' : String(seconds);
}

/** The inverse of idleValue. */
export function idleSeconds(value: string): number | null {
  return value === 'never' ? null : Number(value);
}
