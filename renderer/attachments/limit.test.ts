import { expect, it } from 'vitest';
import type { QuestionCount } from '../../protocol/attachments.js';
import { tightest, tooLong } from './limit.js';
import { testAttachment } from './test-attachment.js';

const count = (tokens: number | null, attachments: Record<string, number> = {}): QuestionCount => ({
  ...{ tokens, context_size: 1000, attachments, sees: false },
});
const book = testAttachment('book', { pages: 20 });
const notes = testAttachment('notes');

it('says nothing where it fits, or where nobody knows', () => {
  expect(tooLong(null, [book])).toBeNull();
  expect(tooLong(count(null), [book])).toBeNull();
  expect(tooLong(count(999, { book: 900 }), [book])).toBeNull();
});

it('offers as many first pages as there is room for', () => {
  const found = tooLong(count(2000, { book: 1500, notes: 100 }), [notes, book]);
  expect(found).toEqual({ tokens: 2000, context: 1000, part: { attachment: book, pages: 3 } });
});

it('offers nothing where not even one page fits, or there are no pages', () => {
  expect(tooLong(count(2000, { notes: 1900 }), [notes])?.part).toBeNull();
  expect(tooLong(count(3000, { book: 1500 }), [book])?.part).toBeNull();
  const one = testAttachment('book', { pages: 20, first_pages: 1 });
  expect(tooLong(count(2000, { book: 1500 }), [one])?.part).toBeNull();
});

it('is of the model that has least room for it', () => {
  const roomy = { count: { ...count(900), context_size: 4000 }, model: 'roomy' };
  const tight = { count: count(800), model: 'tight' };
  const unknown = { count: { ...count(null), context_size: null }, model: 'unknown' };
  expect(tightest([])).toBeNull();
  expect(tightest([unknown])).toBe(unknown);
  expect(tightest([unknown, roomy, tight])).toBe(tight);
  expect(tightest([tight, roomy])).toBe(tight);
});
