import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isShortcut } from './accelerator.js';

it.each([
  ['Alt+Space', true],
  ['CommandOrControl+Shift+K', true],
  ['Super+.', true],
  ['Ctrl+Plus', true],
  ['F12', true],
  ['Shift+F3', true],
  ['', false],
  ['A', false],
  ['Shift+A', false],
  ['Space', false],
  ['Alt', false],
  ['Alt+', false],
  ['Alt+Alt+A', false],
  ['Alt+AA', false],
  ['Hyper+A', false],
  ['F25', false],
])('isShortcut(%j): %s', (accelerator, expected) => {
  expect(isShortcut(accelerator)).toBe(expected);
});

it('takes every text for one or for none', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(typeof isShortcut(text)).toBe('boolean');
    }),
  );
});
