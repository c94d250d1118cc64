/** In which stretch of time a chat was used last, as people speak of it. Pure. */

/** `months` ago and longer: "2026-03". */
export type Stretch = 'today' | 'yesterday' | 'week' | 'month' | `${number}-${number}`;

/** Midnight, in the place where the window is, that began the day of `ms`. */
export function startOfDay(ms: number): number {
  return new Date(ms).setHours(0, 0, 0, 0);
}

/** Midnight that begins the day that lies `days` after the one of `ms`; days are not all 24 hours long. */
export function dayAfter(ms: number, days: number): number {
  const day = new Date(startOfDay(ms));
  return day.setDate(day.getDate() + days);
}

/** The stretch of `at`, seen from `now`; what lies ahead, by a clock that was set, is today. */
export function stretchOf(at: number, now: number): Stretch {
  if (at >= startOfDay(now)) return 'today';
  if (at >= dayAfter(now, -1)) return 'yesterday';
  if (at >= dayAfter(now, -7)) return 'week';
  if (at >= dayAfter(now, -30)) return 'month';
  const date = new Date(at);
  return `${date.getFullYear()}-${date.getMonth() + 1}`;
}

/** Such as "March 2026"; null for a stretch that has a word of its own. */
export function monthName(stretch: Stretch, language: string): string | null {
  const [year, month] = stretch.split('-').map(Number);
  if (year === undefined || month === undefined) return null;
  const format = new Intl.DateTimeFormat(language, { month: 'long', year: 'numeric' });
  return format.format(new Date(year, month - 1));
}
