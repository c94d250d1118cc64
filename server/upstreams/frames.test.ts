import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FRAME_MAX, type FrameKind, Frames } from './frames.js';

function cut(kind: FrameKind, ...chunks: string[]): string[] {
  const frames = new Frames(kind);
  const told = chunks.map((chunk) => frames.push(Buffer.from(chunk)).toString());
  return [...told, frames.rest().toString()];
}

describe('a stream of events', () => {
  it('goes on up to the last event that is whole', () => {
    expect(cut('events', 'data: a\n\ndata: b', '\n', '\ndata: c')).toEqual([
      'data: a\n\n',
      '',
      'data: b\n\n',
      'data: c',
    ]);
  });

  it.each(['\n\n', '\r\n\r\n', '\r\r', '\r\n\n'])('may end its events with %j', (end) => {
    expect(cut('events', `data: a${end}x`)).toEqual([`data: a${end}`, 'x']);
  });

  it('waits for no event that never ends', () => {
    const frames = new Frames('events');
    const long = Buffer.alloc(FRAME_MAX + 1, 'x');
    expect(frames.push(long).equals(long)).toBe(true);
    expect(frames.isBroken).toBe(true);
    expect(frames.push(Buffer.from('y')).toString()).toBe('y');
    expect(frames.push(Buffer.from('z\n\ndata')).toString()).toBe('z\n\n');
    expect(frames.isBroken).toBe(false);
  });
});

it('lines go on whole', () => {
  expect(cut('lines', '{"a":1}\n{"b"', ':2}\n')).toEqual(['{"a":1}\n', '{"b":2}\n', '']);
});

it('no byte is lost or changed, however the stream is cut', () => {
  const piece = fc.constantFrom('\n', '\r', '\n\n', '\r\n', 'data: x', ':', 'é', '');
  fc.assert(
    fc.property(
      fc.array(piece),
      fc.array(fc.nat({ max: 8 })),
      fc.constantFrom('events' as const, 'lines' as const),
      (pieces, sizes, kind) => {
        const all = Buffer.from(pieces.join(''));
        const frames = new Frames(kind);
        const out: Buffer[] = [];
        let from = 0;
        for (const size of sizes) {
          out.push(frames.push(all.subarray(from, from + size)));
          from = Math.min(all.length, from + size);
        }
        out.push(frames.push(all.subarray(from)), frames.rest());
        expect(Buffer.concat(out).toString()).toBe(all.toString());
      },
    ),
  );
});
