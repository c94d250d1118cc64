import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../protocol/preferences.js';
import { setLanguage, t } from '../i18n/i18n.js';
import { SECTIONS, SETTINGS } from './sections.js';
import { highlight, searchSettings } from './setting-search.js';

function searchable() {
  return SETTINGS.map((entry) => ({
    id: entry.id,
    title: t(entry.title),
    hint: entry.hint ? t(entry.hint) : '',
    synonyms: t(entry.synonyms),
    section: t(`settings.${entry.section}`),
  }));
}
const first = (query: string) => searchSettings(searchable(), query)[0]?.id;

afterAll(() => setLanguage('en'));

it('finds by title, by other words and by what is said of it', () => {
  expect(first('text size')).toBe('text_size');
  expect(first('FONT')).toBe('text_size');
  expect(first('dark mode')).toBe('theme');
  expect(first('vram')).toBe('memory_budget');
  expect(first('new line')).toBe('send_with');
  expect(searchSettings(searchable(), 'folders')).toHaveLength(3);
  expect(searchSettings(searchable(), '  ')).toEqual([]);
  expect(searchSettings(searchable(), 'dark qwertz')).toEqual([]);
});

it.each([
  ['de', 'schriftgroße', 'text_size'],
  ['de', 'Arbeitsspeicher', 'memory_budget'],
  ['es', 'contrasena', 'hub_token'],
  ['fr', 'police', 'text_size'],
  ['ja', 'ダークモード', 'theme'],
  ['zh', '显存', 'memory_budget'],
] as const)('in %s, %s is found', async (language, query, id) => {
  await setLanguage(language);
  expect(first(query)).toBe(id);
});

it('finds the settings of languages by the names of languages in each of them', async () => {
  for (const language of LANGUAGES) {
    await setLanguage(language);
    expect(first(t('settings.language'))).toBe('language');
  }
});

it('has a title for every part, and each setting once', () => {
  const names = SECTIONS.map(({ name }) => name);
  expect(SETTINGS.every(({ section }) => names.includes(section))).toBe(true);
  expect(new Set(SETTINGS.map(({ id }) => id)).size).toBe(SETTINGS.length);
});

describe('highlighting', () => {
  it('marks what was searched for, whatever its accents', () => {
    expect(highlight('Größe der Größen', 'große')).toEqual([
      { text: 'Größe', found: true },
      { text: ' der ', found: false },
      { text: 'Größe', found: true },
      { text: 'n', found: false },
    ]);
  });

  it('loses nothing of the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, query) => {
        const pieces = highlight(text, query);
        expect(pieces.map((piece) => piece.text).join('')).toBe(text);
        expect(pieces.every((piece) => piece.text !== '')).toBe(true);
      }),
    );
  });
});
