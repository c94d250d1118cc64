import { expect, it } from 'vitest';
import { detailOf, warningOf } from './detail.js';
import { testAttachment } from './test-attachment.js';

it('says how much of it there is, in tokens once they are known', () => {
  expect(detailOf(testAttachment('a', { bytes: 2_000 }))).toBe('2.0 KB');
  expect(detailOf(testAttachment('a'), 12)).toBe('12 tokens');
  expect(detailOf(testAttachment('a', { pages: 3 }), 1)).toBe('3 pages · 1 token');
  expect(detailOf(testAttachment('a', { pages: 3, first_pages: 1 }), 9)).toBe(
    '1 of 3 pages · 9 tokens',
  );
  const picture = testAttachment('a', { kind: 'image', width: 40, height: 30 });
  expect(detailOf(picture)).toBe('40 × 30 · 5 B');
});

it('warns of what the model will not get', () => {
  const picture = testAttachment('a', { kind: 'image' });
  expect(warningOf(picture, null)).toBeNull();
  expect(warningOf(picture, 'Guide')).toContain('Guide cannot see pictures');
  expect(warningOf(testAttachment('a'), 'Guide')).toBeNull();
  expect(warningOf(testAttachment('a', { notice: 'cut' }), null)).toContain('end is left out');
});
