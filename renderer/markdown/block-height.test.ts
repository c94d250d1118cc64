import { expect, it } from 'vitest';
import { blockHeight, guessBlockHeight, keepBlockHeight } from './block-height.js';

it('guesses more room for more of anything, and some for the least', () => {
  const pairs = [
    ['word', 'word '.repeat(100)],
    ['- one', '- one\n- two\n- three'],
    ['```js\na\n```', '```js\na\nb\nc\n```'],
    ['| A |\n| - |\n| 1 |', '| A |\n| - |\n| 1 |\n| 2 |\n| 3 |'],
  ] as const;
  for (const [less, more] of pairs) {
    expect(guessBlockHeight(less)).toBeGreaterThan(0);
    expect(guessBlockHeight(more)).toBeGreaterThan(guessBlockHeight(less));
  }
  expect(guessBlockHeight('')).toBeGreaterThan(0);
});

it('knows a block that was drawn once', () => {
  const text = 'drawn before';
  expect(blockHeight(text)).toBe(guessBlockHeight(text));
  keepBlockHeight(text, 123);
  expect(blockHeight(text)).toBe(123);
});
