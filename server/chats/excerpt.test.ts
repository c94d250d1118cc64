import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { excerptOf, fold, hitsIn } from './excerpt.js';

const marked = (text: string, ...words: string[]) =>
  excerptOf(text, words.map(fold))
    .map((piece) => (piece.hit ? `[${piece.text}]` : piece.text))
    .join('');

describe('an excerpt', () => {
  it.each([
    ['A heat pump.', ['heat'], 'A [heat] pump.'],
    ['Das Café in Zürich', ['cafe', 'ZURICH'], 'Das [Café] in [Zürich]'],
    ['Cafe\u0301 noir', ['café'], '[Cafe\u0301] noir'],
    ['世界你好', ['你好'], '世界[你好]'],
    ['a 👩‍👩‍👧 family', ['👩‍👩‍👧'], 'a [👩‍👩‍👧] family'],
    ['say "yes" and no', ['"yes"'], 'say ["yes"] and no'],
    ['aaa', ['aa'], '[aa]a'],
    ['か が', ['が'], 'か [が]'],
    ['two\n\nlines', ['lines'], 'two [lines]'],
  ])('%j', (text, words, expected) => {
    expect(marked(text, ...words)).toBe(expected);
  });

  it('of a long text is what is around the first hit', () => {
    const text = `${'before '.repeat(100)}needle${' behind'.repeat(100)}`;
    const pieces = excerptOf(text, ['needle']);
    expect(pieces[0]).toEqual({ text: '…', hit: false });
    expect(pieces.at(-1)).toEqual({ text: '…', hit: false });
    expect(pieces.map((piece) => piece.text).join('').length).toBeLessThan(260);
    expect(pieces.filter((piece) => piece.hit)).toEqual([{ text: 'needle', hit: true }]);
  });
});

describe('hits', () => {
  it('are in order, apart, and are the words', () => {
    const texts = fc.string({ unit: 'grapheme', maxLength: 60 });
    fc.assert(
      fc.property(
        texts,
        texts,
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }),
        (a, b, word) => {
          const folded = fold(word);
          fc.pre(folded !== '');
          const text = `${a} ${word} ${b}`;
          const hits = hitsIn(text, [folded]);
          expect(hits.length).toBeGreaterThan(0);
          let last = -1;
          for (const [begin, end] of hits) {
            expect(begin).toBeGreaterThan(last);
            expect(end).toBeGreaterThan(begin);
            last = end;
          }
        },
      ),
    );
  });
});
