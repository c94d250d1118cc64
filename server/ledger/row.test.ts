import { generateKeyPairSync, sign } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalText, hashOf, isSigned, keyText, publicKeyOf } from './row.js';

const json = fc.letrec((tie) => ({
  value: fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.maxSafeInteger(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 5, noNullPrototype: true }),
  ),
})).value as fc.Arbitrary<Parameters<typeof canonicalText>[0]>;

/** RFC 8785, appendix on sorting: by UTF-16 code units, so that an emoji comes before U+FB33. */
it('sorts as the standard has it', () => {
  const sorted = { '\r': 1, '1': 2, '\u0080': 3, ö: 4, '€': 5, '😀': 6, '\ufb33': 7 };
  const shuffled = Object.fromEntries(Object.entries(sorted).reverse());
  expect(canonicalText(shuffled)).toBe('{"\\r":1,"1":2,"\u0080":3,"ö":4,"€":5,"😀":6,"\ufb33":7}');
});

it('is one text for one value, and the same value again', () => {
  fc.assert(
    fc.property(json, (value) => {
      const text = canonicalText(value);
      expect(JSON.parse(text)).toEqual(value);
      expect(canonicalText(JSON.parse(text))).toBe(text);
      expect(Buffer.from(text, 'utf8').toString('utf8')).toBe(text);
    }),
  );
});

it('has bytes also for half a character', () => {
  expect(canonicalText({ client: 'a\ud800b' })).toBe('{"client":"a\ufffdb"}');
});

it('knows a signature by the key as the row has it, and nothing else for one', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key = publicKeyOf(keyText(publicKey));
  const signature = sign(null, Buffer.from('row'), privateKey);
  expect(isSigned('row', signature, key)).toBe(true);
  expect(isSigned('roW', signature, key)).toBe(false);
  expect(isSigned('row', signature.subarray(1), key)).toBe(false);
  const other = generateKeyPairSync('ed25519').publicKey;
  expect(isSigned('row', signature, other)).toBe(false);
});

it('hashes bytes in UTF-8', () => {
  // printf 'é' | sha256sum
  expect(hashOf('é')).toBe('4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c');
});
