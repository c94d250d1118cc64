/** Keys that are pressed together, such as "Mod+Shift+O". `Mod` is Ctrl, on a Mac Command. */
import { t } from '../i18n/i18n.js';

export interface Chord {
  mod: boolean;
  shift: boolean;
  alt: boolean;
  /** As KeyboardEvent.key has it, letters small. */
  key: string;
}

export const isMac =
  typeof navigator !== 'undefined' && /mac|iphone|ipad/i.test(navigator.platform);

export function parseChord(text: string): Chord {
  const parts = text.split('+');
  const key = parts.pop() ?? '';
  return {
    mod: parts.includes('Mod'),
    shift: parts.includes('Shift'),
    alt: parts.includes('Alt'),
    key: key.length === 1 ? key.toLowerCase() : key,
  };
}

type KeyPress = Pick<
  KeyboardEvent,
  'key' | 'code' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey' | 'isComposing'
>;

/** Whether these keys are pressed, on a keyboard of any script. */
export function matchesChord(event: KeyPress, chord: Chord, mac = isMac): boolean {
  if (event.isComposing) return false;
  const [command, other] = mac ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey];
  if (command !== chord.mod || other || event.altKey !== chord.alt) return false;
  // Where "/" lies above another character, it is typed with Shift.
  const anyShift = isPunctuation(chord.key) && !chord.shift;
  if (!anyShift && event.shiftKey !== chord.shift) return false;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (key === chord.key) return true;
  // A Cyrillic or Greek layout has no "k": there the key counts that has it elsewhere.
  return !isAscii(key) && event.code === codeOf(chord.key);
}

/** As people write it: "⇧⌘O" on a Mac, else "Ctrl+Shift+O" in their language. */
export function chordText(chord: Chord, mac = isMac): string {
  const modifiers = [
    chord.alt && (mac ? '⌥' : t('shell.key_alt')),
    !mac && chord.mod && t('shell.key_ctrl'),
    chord.shift && (mac ? '⇧' : t('shell.key_shift')),
    mac && chord.mod && '⌘',
  ].filter((part) => part !== false);
  return [...modifiers, keyText(chord.key, mac)].join(mac ? '' : '+');
}

/** For aria-keyshortcuts. */
export function ariaChord(chord: Chord, mac = isMac): string {
  const parts = [
    chord.mod && (mac ? 'Meta' : 'Control'),
    chord.alt && 'Alt',
    chord.shift && 'Shift',
    chord.key.length === 1 ? chord.key.toUpperCase() : chord.key,
  ];
  return parts.filter((part) => part !== false).join('+');
}

function keyText(key: string, mac: boolean): string {
  switch (key) {
    case 'Escape':
      return mac ? 'esc' : t('shell.key_escape');
    case 'Enter':
      return mac ? '↩' : t('shell.key_enter');
    case 'ArrowUp':
      return '↑';
    case 'ArrowDown':
      return '↓';
    case 'ArrowLeft':
      return '←';
    case 'ArrowRight':
      return '→';
    case 'Home':
      return t('shell.key_home');
    case 'End':
      return t('shell.key_end');
    case 'Delete':
      return t('shell.key_delete');
    default:
      return key.toUpperCase();
  }
}

function isAscii(key: string): boolean {
  return key.length === 1 ? key >= ' ' && key <= '~' : key !== 'Dead' && key !== 'Unidentified';
}

function isPunctuation(key: string): boolean {
  return key.length === 1 && !/[a-z0-9]/.test(key);
}

function codeOf(key: string): string {
  if (/^[a-z]$/.test(key)) return `Key${key.toUpperCase()}`;
  return { '/': 'Slash', ',': 'Comma' }[key] ?? key;
}
