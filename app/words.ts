/** The words of tray, menus and dialogs in the person's language: ICU MessageFormat, as those of the window. */
import { IntlMessageFormat } from 'intl-messageformat';
import de from '../messages/tray/de.json';
import en from '../messages/tray/en.json';
import es from '../messages/tray/es.json';
import fr from '../messages/tray/fr.json';
import ja from '../messages/tray/ja.json';
import zh from '../messages/tray/zh.json';
import { bestLanguage, type Language, type Preferences } from '../protocol/preferences.js';

type Key = keyof typeof en;

const MESSAGES: Readonly<Record<Language, Record<Key, string>>> = { en, de, es, fr, ja, zh };

let language: Language = 'en';
let formats = new Map<Key, IntlMessageFormat>();

/**
 * @param system The languages of the system, the most wanted first.
 * @returns whether the words are others now.
 */
export function speak(wanted: Preferences['language'], system: readonly string[]): boolean {
  const next = wanted === 'system' ? bestLanguage(system) : wanted;
  if (next === language) return false;
  language = next;
  formats = new Map();
  return true;
}

/** A message with the values for its placeholders. */
export function say(key: Key, values?: Record<string, string | number>): string {
  let format = formats.get(key);
  if (!format) {
    format = new IntlMessageFormat(MESSAGES[language][key], language, undefined, {
      ignoreTag: true,
    });
    formats.set(key, format);
  }
  return String(format.format(values));
}
