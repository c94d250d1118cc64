import { expect, it } from 'vitest';
import { formatBytes } from './bytes.js';

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 KB'],
  [4_410_000, '4.4 MB'],
  [51_200_000, '51 MB'],
  [999_600_000, '1.0 GB'],
  [16_100_000_000, '16 GB'],
])('formatBytes(%d)', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
