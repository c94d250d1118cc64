import { expect, test } from 'vitest';
import { prettyArguments } from './call-arguments.js';

test.each([
  ['', null],
  [' ', null],
  ['{}', null],
  ['{"city":"Rome"}', '{\n  "city": "Rome"\n}'],
  ['{"city', '{"city'],
  ['3', '3'],
])('%j is shown as %j', (text, shown) => {
  expect(prettyArguments(text)).toBe(shown);
});
