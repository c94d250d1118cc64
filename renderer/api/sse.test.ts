import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SseItem, SseParser } from '../../protocol/sse.js';
import { readSse } from './sse.js';

const parse = (...chunks: string[]): SseItem[] => {
  const parser = new SseParser();
  return chunks.flatMap((chunk) => parser.push(chunk));
};
const message = (data: string, event = 'message'): SseItem => ({ type: 'message', event, data });
const comment = (text: string): SseItem => ({ type: 'comment', text });

describe('SseParser', () => {
  it('reads data, comments and event names', () => {
    expect(parse(': loading 42 %\n\nevent: error\ndata: {"a":1}\n\ndata:[DONE]\n\n')).toEqual([
      comment('loading 42 %'),
      message('{"a":1}', 'error'),
      message('[DONE]'),
    ]);
  });

  it('joins data lines and forgets the event name after each event', () => {
    expect(parse('event: x\ndata: a\ndata\ndata:  b\n\ndata: c\n\n')).toEqual([
      message('a\n\n b', 'x'),
      message('c'),
    ]);
  });

  it('ignores unknown fields, a byte order mark and an event without data', () => {
    expect(parse('\uFEFFid: 1\nretry: 5\nnonsense\n\nevent: y\n\ndata: z\n\n')).toEqual([
      message('z'),
    ]);
  });

  it('takes CR, LF and CRLF as line ends, also when a chunk ends between CR and LF', () => {
    const expected = [comment('a'), message('b'), message('c')];
    expect(parse(': a\r\ndata: b\r\n\r\ndata: c\r\n\r\n')).toEqual(expected);
    expect(parse(': a\rdata: b\r\rdata: c\r\r')).toEqual(expected);
    expect(parse(': a\r', '\ndata: b\r', '\n\r', '\n', 'data: c\r', '', '\n\r\n')).toEqual(
      expected,
    );
  });

  it('drops what the stream ends in the middle of', () => {
    expect(parse('data: a\n\ndata: half')).toEqual([message('a')]);
  });

  it('refuses an endless line', () => {
    const parser = new SseParser();
    expect(() => parser.push('x'.repeat(16 * 1024 * 1024 + 1))).toThrow(RangeError);
  });

  it('gives the same events for any chunking', () => {
    const line = fc.oneof(
      fc.string({ maxLength: 12 }).map((s) => `data: ${s.replace(/[\r\n]/g, '')}`),
      fc.string({ maxLength: 12 }).map((s) => `: ${s.replace(/[\r\n]/g, '')}`),
      fc.constantFrom('', '', 'event: e', 'data', 'id: 7', 'data: é漢🔥'),
    );
    const stream = fc
      .array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 20 })
      .map((lines) => `${lines.map(([l, end]) => l + end).join('')}x`);
    const cuts = fc.array(fc.nat(400), { maxLength: 30 });
    fc.assert(
      fc.property(stream, cuts, (text, at) => {
        const places = [0, ...at.filter((n) => n < text.length).sort((a, b) => a - b), text.length];
        const chunks = places.slice(1).map((end, i) => text.slice(places[i], end));
        expect(parse(...chunks)).toEqual(parse(text));
      }),
    );
  });
});

describe('readSse', () => {
  it('decodes characters that are cut between network chunks', async () => {
    const bytes = new TextEncoder().encode('data: 🔥 é\n\n');
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: bytes.length - 1 }), async (cut) => {
        const body = new ReadableStream<Uint8Array>({
          start(controller) {
            controller.enqueue(bytes.slice(0, cut));
            controller.enqueue(bytes.slice(cut));
            controller.close();
          },
        });
        const items: SseItem[] = [];
        for await (const batch of readSse(body)) items.push(...batch);
        expect(items).toEqual([message('🔥 é')]);
      }),
    );
  });
});
