import fc from 'fast-check';
import { expect, it } from 'vitest';
import { idleChoices, idleSeconds, idleValue, idleWords } from './idle-times.js';

it.each([
  [null, 'Never'],
  [0, 'At once'],
  [1, '1 second'],
  [90, '90 seconds'],
  [60, '1 minute'],
  [1800, '30 minutes'],
  [7200, '2 hours'],
  [86_400, '1 day'],
])('idleWords(%j)', (seconds, text) => {
  expect(idleWords(seconds)).toBe(text);
});

it('always offers what is set, each time once', () => {
  const time = fc.option(fc.integer({ min: 0, max: 31_536_000 }));
  fc.assert(
    fc.property(time, (current) => {
      const values = idleChoices(current).map(({ value }) => value);
      expect(values).toContain(idleValue(current));
      expect(new Set(values).size).toBe(values.length);
      expect(idleSeconds(idleValue(current))).toBe(current);
    }),
  );
});
