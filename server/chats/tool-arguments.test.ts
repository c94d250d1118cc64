import { expect, test } from 'vitest';
import { argumentsIn } from './tool-arguments.js';

test.each([
  ['', {}],
  [' \n', {}],
  ['{}', {}],
  ['{"city": "Rome"}', { city: 'Rome' }],
  ['{"city', null],
  ['[]', null],
  ['null', null],
  ['"Rome"', null],
  ['Rome', null],
])('%j', (text, args) => {
  expect(argumentsIn(text)).toEqual(args);
});
