import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bytesOf, gigabytesText } from './bytes-field.js';

it.each([
  ['', null],
  ['  ', null],
  ['8', 8_000_000_000],
  ['11.6', 11_600_000_000],
  ['0,5', 500_000_000],
  ['0', 0],
  ['-1', undefined],
  ['much', undefined],
  ['1e300', undefined],
])('bytesOf(%j)', (text, bytes) => {
  expect(bytesOf(text)).toBe(bytes);
});

it('reads what it wrote, to a hundredth of a GB', () => {
  fc.assert(
    fc.property(fc.option(fc.integer({ min: 0, max: 4e12 })), (bytes) => {
      const read = bytesOf(gigabytesText(bytes));
      if (bytes === null) expect(read).toBeNull();
      else expect(Math.abs((read ?? Number.NaN) - bytes)).toBeLessThanOrEqual(5_000_000);
    }),
  );
});
