import { describe, expect, it } from 'vitest';
import { createId, requestId } from './ids.js';

describe('requestId', () => {
  it.each(['abc', 'req_1.2:3/4=5+6-7', 'x'.repeat(128)])('keeps a sane one: %s', (id) => {
    expect(requestId(id)).toBe(id);
  });

  it.each([undefined, '', 'x'.repeat(129), 'a b', 'a\nb', 'ä', ['a', 'b']])(
    'makes its own instead of %j',
    (id) => {
      expect(requestId(id)).toMatch(/^req_[0-9a-f]{24}$/);
    },
  );
});

it('makes no id twice', () => {
  const ids = new Set(Array.from({ length: 1000 }, () => createId('chatcmpl-')));
  expect(ids.size).toBe(1000);
});
