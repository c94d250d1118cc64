import fc from 'fast-check';
import { expect, it } from 'vitest';
import { spoken } from './spoken.js';

it.each([
  ['One. Two', 'One.'],
  ['One. Two.', 'One.'],
  ['One. Two. ', 'One. Two.'],
  ['Pi is 3.14 or', ''],
  ['# Head\n\nAnd th', 'Head'],
  ['一つ。二', '一つ。'],
  ['See. ```', 'See.'],
  ['See.\n```js\na. b. c', 'See.'],
  ['**Yes!** Then', 'Yes!'],
])('of %j, while it grows, %j is spoken', (text, words) => {
  expect(spoken(text, false)).toBe(words);
});

it('speaks all of an answer that has ended, up to a limit', () => {
  expect(spoken('One. Two', true)).toBe('One. Two');
  expect(spoken('word '.repeat(1000), true)).toHaveLength(600);
  expect(spoken('word. '.repeat(1000), false)).toHaveLength(600);
});

it('only ever adds to what it has spoken', () => {
  const words = fc.array(fc.constantFrom('One', 'two.', 'three!', '四。', '\n\n', 'a `b`.'));
  fc.assert(
    fc.property(words, (pieces) => {
      let before = '';
      let text = '';
      for (const piece of pieces) {
        text += `${piece} `;
        const now = spoken(text, false);
        expect(now.startsWith(before)).toBe(true);
        before = now;
      }
    }),
  );
});
