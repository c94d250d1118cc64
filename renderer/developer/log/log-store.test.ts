import { describe, expect, it } from 'vitest';
import type { LogLine } from '../../../protocol/serving.js';
import { LogStore, lineText, MAX_LINES, matching } from './log-store.js';

const line = (n: number, changes: Partial<LogLine> = {}): LogLine => ({
  ...{ n, time: '2026-11-30T20:00:00.000Z', level: 'info', message: 'request', fields: {} },
  ...changes,
});

describe('the log', () => {
  it('keeps the latest lines', () => {
    const store = new LogStore();
    store.add(Array.from({ length: MAX_LINES + 5 }, (_, i) => line(i + 1)));
    const { lines } = store.snapshot();
    expect([lines?.length, lines?.[0]?.n]).toEqual([MAX_LINES, 6]);
  });

  it('stands still while it is paused, and misses nothing', () => {
    const store = new LogStore();
    store.add([line(1)]);
    store.pause(true);
    store.add([line(2), line(3)]);
    expect(store.snapshot()).toMatchObject({ waiting: 2, lines: [line(1)] });
    store.pause(false);
    expect(store.snapshot()).toMatchObject({ waiting: 0, lines: [line(1), line(2), line(3)] });
  });

  it('is filtered by level and by words, wherever they stand', () => {
    const lines = [
      line(1, { fields: { path: '/v1/models', status: 200 } }),
      line(2, { level: 'error', message: 'request failed', fields: { code: 'engine_failed' } }),
      line(3, { level: 'warn', message: 'slow' }),
    ];
    const found = (...asked: ['info' | 'warn' | 'error', string]) =>
      matching(lines, ...asked).map(({ n }) => n);
    expect(found('info', '')).toEqual([1, 2, 3]);
    expect(found('warn', '')).toEqual([2, 3]);
    expect(found('info', 'REQUEST 200')).toEqual([1]);
    expect(found('error', 'engine')).toEqual([2]);
    expect(found('info', 'nothing')).toEqual([]);
  });

  it('is copied as one line each', () => {
    const text = lineText(line(1, { fields: { path: '/v1', ms: 3, err: { type: 'E' } } }));
    expect(text).toBe('2026-11-30T20:00:00.000Z info request path=/v1 ms=3 err={"type":"E"}');
  });
});
