import fc from 'fast-check';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { decodeText, decodeUnicode } from './decode-text.js';

const GERMAN = 'Die Straße führt über die Brücke, und am Ende steht ein altes Häuschen.';
const RUSSIAN = 'Съешь же ещё этих мягких французских булок, да выпей чаю.';
const JAPANESE = '吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。';

describe('decodeText', () => {
  it.each([
    ['utf-8', JAPANESE],
    ['latin1', GERMAN],
    ['windows-1251', RUSSIAN],
    ['shift_jis', JAPANESE],
    ['euc-jp', JAPANESE],
    ['utf-16le', `\ufeff${RUSSIAN}`],
    ['utf-16be', `\ufeff${GERMAN}`],
    ['utf-32le', `\ufeff${JAPANESE}`],
  ])('reads %s', (encoding, text) => {
    expect(decodeText(iconv.encode(text, encoding))).toBe(text.replace('\ufeff', ''));
  });

  it('gives any UTF-8 without control characters back as it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        fc.pre(!/\p{Cc}|\ufffd|^\ufeff/u.test(text));
        expect(decodeUnicode(Buffer.from(text))).toBe(text);
      }),
    );
  });

  it('takes nothing for text that is none', () => {
    const zeros = new Uint8Array(100);
    const program = Buffer.concat([Buffer.from('\x7fELF'), Buffer.alloc(60), Buffer.from('libc')]);
    for (const bytes of [zeros, program]) expect(decodeText(bytes)).toBeNull();
    expect(decodeUnicode(iconv.encode(GERMAN, 'latin1'))).toBeNull();
  });
});

it('reads the beginning of a text that is cut in the middle of a character', () => {
  const bytes = Buffer.from('Brücke 橋');
  expect(decodeText(bytes.subarray(0, -1), false)).toBe('Brücke ');
  expect(decodeUnicode(bytes.subarray(0, -1))).toBeNull();
});
