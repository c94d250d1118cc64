import fc from 'fast-check';
import { expect, it } from 'vitest';
import { beginningOf } from './partial-json.js';

it.each([
  ['', {}],
  ['{', {}],
  ['{"a', {}],
  ['{"a"', {}],
  ['{"a": "b', {}],
  ['{"a": "b"', { a: 'b' }],
  ['{"a": 1, "b": [1, 2', { a: 1, b: [1] }],
  ['{"a": {"b": "c", "d', { a: { b: 'c' } }],
  ['{"a": "}, \\"", "b": "', { a: '}, "' }],
  ['{"a": 1} and more', { a: 1 }],
  ['no JSON', {}],
  ['[1]', {}],
])('%s', (text, value) => {
  expect(beginningOf(text)).toEqual(value);
});

it('gives the beginning of any object that is cut anywhere, and all of it where it is whole', () => {
  const leaf = fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.boolean());
  const value = fc.oneof(leaf, fc.array(leaf), fc.dictionary(fc.string(), leaf));
  // Names like __proto__ are no members of a plain object.
  const name = fc.string().filter((text) => !(text in {}));
  fc.assert(
    fc.property(fc.dictionary(name, value), fc.nat(), (object, at) => {
      const text = JSON.stringify(object);
      expect(beginningOf(text)).toEqual(JSON.parse(text));
      const cut = beginningOf(text.slice(0, at % (text.length + 1)));
      const names = Object.keys(JSON.parse(text));
      const known = Object.keys(cut);
      expect(known).toEqual(names.slice(0, known.length));
      // Only the last one may be incomplete.
      for (const each of known.slice(0, -1)) expect(cut[each]).toEqual(JSON.parse(text)[each]);
    }),
  );
});
