import { describe, expect, it } from 'vitest';
import { ariaChord, type Chord, chordText, matchesChord, parseChord } from './chord.js';
import { COMMANDS, commandOf } from './commands.js';

const press = (key: string, code: string, held: string[] = []) => ({
  ...{ key, code, isComposing: false },
  ctrlKey: held.includes('ctrl'),
  metaKey: held.includes('meta'),
  shiftKey: held.includes('shift'),
  altKey: held.includes('alt'),
});
const palette = commandOf('palette').chords[0];

describe('matchesChord', () => {
  it('takes Ctrl, on a Mac Command, and no other', () => {
    expect(matchesChord(press('k', 'KeyK', ['ctrl']), palette, false)).toBe(true);
    expect(matchesChord(press('k', 'KeyK', ['meta']), palette, true)).toBe(true);
    expect(matchesChord(press('k', 'KeyK', ['ctrl']), palette, true)).toBe(false);
    expect(matchesChord(press('k', 'KeyK', ['meta']), palette, false)).toBe(false);
    expect(matchesChord(press('k', 'KeyK', ['ctrl', 'meta']), palette, false)).toBe(false);
    expect(matchesChord(press('K', 'KeyK', ['ctrl', 'shift']), palette, false)).toBe(false);
    expect(matchesChord(press('k', 'KeyK', ['ctrl', 'alt']), palette, false)).toBe(false);
    expect(matchesChord(press('k', 'KeyK'), palette, false)).toBe(false);
  });

  it('follows the letters of the keyboard, and the places where it has others', () => {
    // Dvorak has its "k" where others have "v".
    expect(matchesChord(press('k', 'KeyV', ['ctrl']), palette, false)).toBe(true);
    expect(matchesChord(press('t', 'KeyK', ['ctrl']), palette, false)).toBe(false);
    // Russian
    expect(matchesChord(press('л', 'KeyK', ['ctrl']), palette, false)).toBe(true);
    expect(matchesChord(press('л', 'KeyG', ['ctrl']), palette, false)).toBe(false);
    expect(
      matchesChord(press('Щ', 'KeyO', ['ctrl', 'shift']), parseChord('Mod+Shift+O'), false),
    ).toBe(true);
  });

  it('finds "/" also where it is typed with Shift', () => {
    const help = commandOf('shortcuts').chords[0];
    expect(matchesChord(press('/', 'Slash', ['ctrl']), help, false)).toBe(true);
    expect(matchesChord(press('/', 'Digit7', ['ctrl', 'shift']), help, false)).toBe(true);
    expect(matchesChord(press('?', 'Slash', ['ctrl', 'shift']), help, false)).toBe(false);
  });

  it('leaves an input method alone', () => {
    const event = { ...press('Escape', 'Escape'), isComposing: true };
    expect(matchesChord(event, parseChord('Escape'), false)).toBe(false);
  });
});

describe('the table', () => {
  it('gives no keys twice', () => {
    const taken = COMMANDS.flatMap(({ chords }) => chords.map((chord) => ariaChord(chord, false)));
    expect(new Set(taken).size).toBe(taken.length);
  });

  it('types no character and takes nothing that a browser keeps for itself', () => {
    const kept = ['n', 't', 'w', 'q', 'r', 'l', 'd', 'p', 's', 'c', 'v', 'x', 'a', 'z'];
    for (const { id, chords } of COMMANDS) {
      const [first] = chords;
      expect(first.mod || first.alt || first.key === 'Escape', id).toBe(true);
      expect(first.mod && !first.shift && kept.includes(first.key), id).toBe(false);
    }
  });

  it('says its keys as each system does', () => {
    const chord: Chord = parseChord('Mod+Shift+O');
    expect(chordText(chord, false)).toBe('Ctrl+Shift+O');
    expect(chordText(chord, true)).toBe('⇧⌘O');
    expect(chordText(parseChord('Alt+ArrowDown'), true)).toBe('⌥↓');
    expect(ariaChord(chord, true)).toBe('Meta+Shift+O');
  });
});
