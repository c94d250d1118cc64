import { parse, TYPE } from '@formatjs/icu-messageformat-parser';
import { describe, expect, test } from 'vitest';
import { bestLanguage, LANGUAGES } from '../../protocol/preferences.js';
import { english } from './areas.js';
import { currentLanguage, setLanguage, t } from './i18n.js';

const files = import.meta.glob<Record<string, string>>('../../messages/*/*.json', {
  eager: true,
  import: 'default',
});
type Elements = ReturnType<typeof parse>;

function read(area: string, language: string): Record<string, string> {
  return files[`../../messages/${area}/${language}.json`] ?? {};
}

/** Names of a message's placeholders, those within plurals too. */
function placeholders(elements: Elements): Set<string> {
  const names = new Set<string>();
  for (const element of elements) {
    if (element.type === TYPE.literal || element.type === TYPE.pound) continue;
    names.add(element.value);
    if (element.type === TYPE.plural || element.type === TYPE.select) {
      for (const { value } of Object.values(element.options)) {
        for (const name of placeholders(value)) names.add(name);
      }
    }
  }
  return names;
}

const areas = [...new Set(Object.keys(files).map((file) => file.split('/').at(-2) ?? ''))].sort();

test('every area of messages is known to the window, and every known one is there', () => {
  expect(Object.keys(english).sort()).toEqual(areas);
});

describe.each(areas)('%s', (area) => {
  const original = read(area, 'en');
  const parsed = new Map(
    Object.entries(original).map(([key, text]) => [key, parse(text, { ignoreTag: true })]),
  );

  test.each(LANGUAGES)('says everything in %s, with the same placeholders', (language) => {
    const translated = read(area, language);
    expect(Object.keys(translated).sort()).toEqual(Object.keys(original).sort());
    for (const [key, text] of Object.entries(translated)) {
      expect(text.trim(), `${area}.${key} in ${language}`).not.toBe('');
      const names = placeholders(parse(text, { ignoreTag: true }));
      expect(names, `${area}.${key} in ${language}`).toEqual(placeholders(parsed.get(key) ?? []));
    }
  });
});

test('a language can be chosen, and English comes back', async () => {
  await setLanguage('de');
  expect(currentLanguage()).toBe('de');
  expect(t('common.cancel')).toBe('Abbrechen');
  await setLanguage('en');
  expect(t('common.cancel')).toBe('Cancel');
});

test('the best language is the first wanted one that there is', () => {
  expect(bestLanguage(['pt-BR', 'fr-CA', 'en'])).toBe('fr');
  expect(bestLanguage(['zh-Hant-TW'])).toBe('zh');
  expect(bestLanguage(['xx'])).toBe('en');
});
