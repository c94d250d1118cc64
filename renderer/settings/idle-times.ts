const words = {
  never: 'Never',
  atOnce: 'At once',
  seconds: (count: number) => (count === 1 ? '1 second' : `${count} seconds`),
  minutes: (count: number) => (count === 1 ? '1 minute' : `${count} minutes`),
  hours: (count: number) => (count === 1 ? '1 hour' : `${count} hours`),
  days: (count: number) => (count === 1 ? '1 day' : `${count} days`),
};

/** Times after which an idle model may leave memory, in seconds. */
const USUAL = [300, 900, 1800, 3600, 14_400, 86_400];

/** Seconds without a request until a model leaves memory, in words; null: it stays. */
export function idleWords(seconds: number | null): string {
  if (seconds === null) return words.never;
  if (seconds === 0) return words.atOnce;
  if (seconds % 86_400 === 0) return words.days(seconds / 86_400);
  if (seconds % 3600 === 0) return words.hours(seconds / 3600);
  if (seconds % 60 === 0) return words.minutes(seconds / 60);
  return words.seconds(seconds);
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
