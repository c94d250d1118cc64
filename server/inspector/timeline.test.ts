import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ENTRIES_MAX, Timeline } from './timeline.js';

it('tells the bytes that carry a step beside its tokens', () => {
  const timeline = new Timeline();
  timeline.sent(1, 20);
  timeline.sampled(10.04, 1);
  timeline.sent(10.3, 200);
  timeline.sent(10.4, 30);
  timeline.sampled(30, 2);
  timeline.sent(90, 100);
  timeline.sampled(95, 0);
  timeline.sent(96, 0);
  expect(timeline.entries).toEqual([
    [1, 0, 20],
    [10, 1, 200],
    [10.4, 0, 30],
    [30, 2, 0],
    [90, 0, 100],
  ]);
});

it('loses no token and no byte, in bounded memory and in order, however long it is', () => {
  const step = fc.record({ ms: fc.nat(20), tokens: fc.nat(3), bytes: fc.nat(500) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 5000, size: 'max' }), (steps) => {
      const timeline = new Timeline();
      let ms = 0;
      for (const { ms: later, tokens, bytes } of steps) {
        ms += later;
        timeline.sampled(ms, tokens);
        timeline.sent(ms, bytes);
      }
      const { entries } = timeline;
      const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
      expect(sum(entries.map((entry) => entry[1]))).toBe(sum(steps.map(({ tokens }) => tokens)));
      expect(sum(entries.map((entry) => entry[2]))).toBe(sum(steps.map(({ bytes }) => bytes)));
      expect(entries.length).toBeLessThanOrEqual(ENTRIES_MAX);
      const times = entries.map((entry) => entry[0]);
      expect(times).toEqual([...times].sort((a, b) => a - b));
    }),
    { numRuns: 30 },
  );
});
