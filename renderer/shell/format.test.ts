import { describe, expect, it } from 'vitest';
import {
  formatAge,
  formatCompact,
  formatContext,
  formatCount,
  formatDuration,
  formatPercent,
  formatSpeed,
  formatThinkingTime,
  formatTokens,
  speakable,
} from './format.js';

it.each([
  [0.4, '0.4 tokens/s'],
  [41.53, '41.5 tokens/s'],
  [182.4, '182 tokens/s'],
])('formatSpeed(%d)', (speed, text) => {
  expect(formatSpeed(speed)).toBe(text);
});

it.each([
  [3.2, '3 ms'],
  [850, '850 ms'],
  [999.7, '1.0 s'],
  [1230, '1.23 s'],
  [1200, '1.2 s'],
  [42_400, '42 s'],
  [59_700, '1 min 0 s'],
  [125_000, '2 min 5 s'],
])('formatDuration(%d)', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

it.each([
  [300, 'less than a second'],
  [1100, '1 s'],
  [3400, '3 s'],
  [125_000, '2 min 5 s'],
])('formatThinkingTime(%d)', (ms, text) => {
  expect(formatThinkingTime(ms)).toBe(text);
});

it.each([
  [950, '950'],
  [1_240_000, '1.2M'],
  [7_616_000_000, '7.6B'],
])('formatCompact(%d)', (count, text) => {
  expect(formatCompact(count)).toBe(text);
});

it.each([
  [512, '512'],
  [4096, '4K'],
  [40_960, '40K'],
  [131_072, '128K'],
  [1_048_576, '1M'],
  [10_485_760, '10M'],
])('formatContext(%d)', (tokens, text) => {
  expect(formatContext(tokens)).toBe(text);
});

it.each([
  [0, 'now'],
  [59_000, 'now'],
  [150_000, '2 minutes ago'],
  [3 * 86_400_000, '3 days ago'],
  [40 * 86_400_000, 'last month'],
  [800 * 86_400_000, '2 years ago'],
])('formatAge, %d ms ago', (ms, text) => {
  const now = Date.UTC(2030, 5, 1);
  expect(formatAge(now - ms, now)).toBe(text);
});

it('formats counts and fractions', () => {
  expect(formatCount(4096)).toBe('4,096');
  expect(formatTokens(1)).toBe('1 token');
  expect(formatTokens(1200)).toBe('1,200 tokens');
  expect([0, 0.29, 0.999, 1, 7, -1].map(formatPercent)).toEqual([
    '0 %',
    '29 %',
    '99 %',
    '100 %',
    '100 %',
    '0 %',
  ]);
});

describe('speakable', () => {
  it('leaves the words and drops the marks', () => {
    const answer = '## Hi\n\n- **one** [two](http://x)\n\n```js\nlet x;\n```\n\nend `three`';
    expect(speakable(answer)).toBe('Hi one two (code) end three');
  });

  it('drops code that never ended', () => {
    expect(speakable('See:\n```\nlet x')).toBe('See: (code)');
  });

  it('stops at the limit', () => {
    expect(speakable('abc def', 4)).toBe('abc…');
  });
});
