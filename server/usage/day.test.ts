import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { dayOf, daysBefore, isDay } from './day.js';

const { TZ } = process.env;
afterEach(() => {
  if (TZ === undefined) delete process.env.TZ;
  else process.env.TZ = TZ;
});

const HOUR = 60 * 60 * 1000;

describe('a day', () => {
  it.each(['UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu', 'Pacific/Apia'])(
    'is that of the machine, here in %s',
    (timeZone) => {
      process.env.TZ = timeZone;
      const format = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
      fc.assert(
        fc.property(fc.integer({ min: 24 * HOUR, max: Date.UTC(2100, 0) }), (time) => {
          expect(dayOf(time)).toBe(format.format(time));
          expect(isDay(dayOf(time))).toBe(true);
        }),
      );
    },
  );

  it('has 23 or 25 hours where clocks are changed', () => {
    process.env.TZ = 'Europe/Berlin';
    const hours = (day: string, from: number) =>
      Array.from({ length: 72 }, (_, i) => dayOf(from + i * HOUR)).filter((each) => each === day);
    expect(hours('2026-03-29', Date.UTC(2026, 2, 28))).toHaveLength(23);
    expect(hours('2026-10-25', Date.UTC(2026, 9, 24))).toHaveLength(25);
  });

  it('is in the calendar', () => {
    for (const day of ['1970-01-01', '2024-02-29', '2026-11-30', '9999-12-31']) {
      expect([day, isDay(day)]).toEqual([day, true]);
    }
    for (const text of [
      '',
      '2026',
      '2026-2-1',
      '2025-02-29',
      '2026-13-01',
      '2026-11-31',
      '1969-12-31',
      '2026-11-30T00:00:00Z',
      'today',
      '２０２６-11-30',
    ]) {
      expect([text, isDay(text)]).toEqual([text, false]);
    }
  });

  it('is counted back over months and years', () => {
    expect(daysBefore('2026-11-30', 0)).toBe('2026-11-30');
    expect(daysBefore('2024-03-01', 1)).toBe('2024-02-29');
    expect(daysBefore('2026-01-10', 29)).toBe('2025-12-12');
  });
});
