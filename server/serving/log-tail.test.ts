import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LogTail } from './log-tail.js';

const line = (fields: object) =>
  JSON.stringify({ level: 30, time: '2026-11-30T00:00:00.000Z', pid: 1, ...fields });

describe('the tail of the log', () => {
  it('tells level, message and the rest of a line', () => {
    const tail = new LogTail(null);
    tail.add(line({ level: 50, msg: 'failed', code: 'x' }));
    expect(tail.after(0)).toEqual([
      {
        ...{ n: 1, time: '2026-11-30T00:00:00.000Z', level: 'error' },
        ...{ message: 'failed', fields: { code: 'x' } },
      },
    ]);
  });

  it('holds a thousand lines, whose numbers say what is missing', () => {
    const tail = new LogTail(null);
    for (let i = 1; i <= 5000; i++) tail.add(line({ msg: String(i) }));
    const held = tail.after(0);
    expect(held).toHaveLength(1000);
    expect(held.at(0)).toMatchObject({ n: 4001, message: '4001' });
    expect(tail.after(4990)).toHaveLength(10);
  });

  it('passes over whatever is no line of a log', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const tail = new LogTail(null);
        tail.add(text);
        for (const { n, level } of tail.after(0)) expect([n, typeof level]).toEqual([1, 'string']);
      }),
    );
  });

  it('tells whoever listens, until they leave', () => {
    const tail = new LogTail(null);
    let told = 0;
    const leave = tail.subscribe(() => told++);
    tail.add(line({}));
    leave();
    tail.add(line({}));
    expect(told).toBe(1);
  });
});
