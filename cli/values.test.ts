import { InvalidArgumentError } from 'commander';
import { expect, it } from 'vitest';
import { text, wholeNumber } from './values.js';

const port = wholeNumber(0, 65535);

it.each([
  ['0', 0],
  ['7411', 7411],
  ['65535', 65535],
  ['007', 7],
])('takes %s', (text, value) => {
  expect(port(text)).toBe(value);
});

it.each(['', '-1', '65536', '1.5', '1e3', 'x', ' 5', '5 ', '0x10', '9'.repeat(400)])(
  'refuses "%s"',
  (text) => {
    expect(() => port(text)).toThrow(InvalidArgumentError);
  },
);

it('takes a text, but not an empty one', () => {
  expect(text('tést')).toBe('tést');
  for (const empty of ['', ' ']) expect(() => text(empty)).toThrow(InvalidArgumentError);
});
