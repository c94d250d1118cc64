/** Shortcuts as Electron writes them, such as "Control+Shift+Space": https://www.electronjs.org/docs/latest/api/accelerator */

export interface KeyPress {
  key: string;
  /** Of the place on the keyboard. */
  code: string;
  ctrlKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
  metaKey: boolean;
}

const NAMED: Readonly<Record<string, string>> = {
  Space: 'Space',
  Enter: 'Return',
  Tab: 'Tab',
  Backspace: 'Backspace',
  Delete: 'Delete',
  Insert: 'Insert',
  Home: 'Home',
  End: 'End',
  PageUp: 'PageUp',
  PageDown: 'PageDown',
  ArrowUp: 'Up',
  ArrowDown: 'Down',
  ArrowLeft: 'Left',
  ArrowRight: 'Right',
  Minus: '-',
  Equal: '=',
  Comma: ',',
  Period: '.',
  Slash: '/',
  Backslash: '\\',
  Semicolon: ';',
  Quote: "'",
  Backquote: '`',
  BracketLeft: '[',
  BracketRight: ']',
};

/** Null while no shortcut is complete: a key that is typed with, or none but Ctrl and its like. */
export function acceleratorOf(press: KeyPress): string | null {
  const key = keyOf(press.code);
  if (key === null) return null;
  const modifiers = [
    ...(press.ctrlKey ? ['Control'] : []),
    ...(press.altKey ? ['Alt'] : []),
    ...(press.shiftKey ? ['Shift'] : []),
    ...(press.metaKey ? ['Super'] : []),
  ];
  const isFunctionKey = /^F\d+$/.test(key);
  // With Shift alone a letter is typed.
  const isEnough = press.ctrlKey || press.altKey || press.metaKey || isFunctionKey;
  return isEnough ? [...modifiers, key].join('+') : null;
}

const MAC: Readonly<Record<string, string>> = {
  Control: '⌃',
  Alt: '⌥',
  Shift: '⇧',
  Super: '⌘',
};

/** The parts of a shortcut as a keyboard shows them. */
export function acceleratorKeys(accelerator: string, isMac: boolean): string[] {
  return accelerator.split('+').map((part) => {
    if (isMac) return MAC[part] ?? part;
    if (part === 'Control') return 'Ctrl';
    return part === 'Super' ? 'Win' : part;
  });
}

function keyOf(code: string): string | null {
  const letter = /^Key([A-Z])$/.exec(code) ?? /^Digit(\d)$/.exec(code) ?? /^(F\d{1,2})$/.exec(code);
  return letter?.[1] ?? NAMED[code] ?? null;
}
