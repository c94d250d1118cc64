import { expect, it } from 'vitest';
import { sends } from './sends.js';

const press = (change: object = {}) => ({
  ...{ key: 'Enter', keyCode: 13, shiftKey: false, ctrlKey: false, metaKey: false },
  nativeEvent: { isComposing: false },
  ...change,
});

it.each(['enter', 'mod_enter'] as const)('%s: a message is sent with Ctrl or Command', (by) => {
  expect(sends(press({ ctrlKey: true }), by)).toBe(true);
  expect(sends(press({ metaKey: true }), by)).toBe(true);
  expect(sends(press({ shiftKey: true }), by)).toBe(false);
  expect(sends(press({ key: 'a', ctrlKey: true }), by)).toBe(false);
});

it('takes Enter alone only where that is set', () => {
  expect(sends(press(), 'enter')).toBe(true);
  expect(sends(press(), 'mod_enter')).toBe(false);
});

it('leaves the Enter of an input method alone', () => {
  expect(sends(press({ nativeEvent: { isComposing: true } }), 'enter')).toBe(false);
  expect(sends(press({ keyCode: 229 }), 'enter')).toBe(false);
});
