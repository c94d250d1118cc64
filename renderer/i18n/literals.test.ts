/** Looks for words that a component says in English, whatever the window's language. */
import { expect, test } from 'vitest';

const sources = import.meta.glob<string>(['../**/*.{ts,tsx}', '!../**/*.test.*', '!../**/test-*'], {
  eager: true,
  query: '?raw',
  import: 'default',
});

/** Names, addresses and examples are the same in each language. */
const SAME_EVERYWHERE =
  /^(Pilotlight|(?:pilotlight|npx|Authorization:)(?: .*)?|hf_…|laptop|https?:\/\/\S+|[\d.:]+|[\w./-]*[/\\.-][\w./-]*)$/;

const WORD = /\p{L}{2}/u;

const PATTERNS: readonly RegExp[] = [
  // <p>Words</p>, also over several lines; no code has a letter and none of these signs between two tags.
  /(?<![=\-)])>(?! extends)([^<>{}()=;|&?:[\]]+)<(?=[/A-Za-z])/gu,
  // What is said of an element.
  /\b(?:aria-label|aria-description|alt|title|placeholder|label|hint|text|description)="([^"]+)"/gu,
  // What is handed on to be shown.
  /\b(?:label|title|text|hint|message|placeholder)(?::|=\{) ?(?:'|`)(\p{Lu}[^'`]* [^'`]*)(?:'|`)/gu,
];

function literals(source: string): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  return PATTERNS.flatMap((pattern) =>
    [...code.matchAll(pattern)].map(([, found = '']) => found.trim()),
  ).filter((text) => WORD.test(text) && !SAME_EVERYWHERE.test(text));
}

test('the words of components are in messages/, in all languages', () => {
  const found = Object.entries(sources).flatMap(([file, source]) =>
    literals(source).map((text) => `${file}: ${text}`),
  );
  expect(found).toEqual([]);
});

test('it finds what it looks for', () => {
  expect(literals('<p>\n  Some words\n</p>')).toEqual(['Some words']);
  expect(literals('<b aria-label="Close it" id="x" />')).toEqual(['Close it']);
  expect(literals("show({ text: 'It did not work.' })")).toEqual(['It did not work.']);
  expect(literals("<p id={x}>{t('common.close')}</p> // Words")).toEqual([]);
  expect(literals('const a = (b: Map<string, number>) => b.size > 1 && c < 2;')).toEqual([]);
});
