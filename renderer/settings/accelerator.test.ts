import { expect, it } from 'vitest';
import { acceleratorKeys, acceleratorOf, type KeyPress } from './accelerator.js';

const press = (code: string, held: Partial<KeyPress> = {}): KeyPress => ({
  ...{ key: '', code, ctrlKey: false, altKey: false, shiftKey: false, metaKey: false },
  ...held,
});

it.each<[KeyPress, string | null]>([
  [press('Space', { altKey: true }), 'Alt+Space'],
  [press('KeyK', { ctrlKey: true, shiftKey: true }), 'Control+Shift+K'],
  [press('Digit1', { metaKey: true }), 'Super+1'],
  [press('F9'), 'F9'],
  [press('KeyA'), null],
  [press('KeyA', { shiftKey: true }), null],
  [press('ControlLeft', { ctrlKey: true }), null],
  [press('Unidentified', { ctrlKey: true }), null],
])('%j is the shortcut %j', (pressed, accelerator) => {
  expect(acceleratorOf(pressed)).toBe(accelerator);
});

it('is shown as the keyboard has it', () => {
  expect(acceleratorKeys('Control+Alt+Space', false)).toEqual(['Ctrl', 'Alt', 'Space']);
  expect(acceleratorKeys('Super+K', false)).toEqual(['Win', 'K']);
  expect(acceleratorKeys('Super+Shift+K', true)).toEqual(['⌘', '⇧', 'K']);
});
