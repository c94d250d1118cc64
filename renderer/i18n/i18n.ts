/**
 * The window's words in the person's language. Messages are ICU MessageFormat (plurals, numbers) in messages/; what a
 * language lacks is told in English. A change of language draws the whole window anew.
 */
import { IntlMessageFormat } from 'intl-messageformat';
import type { Language } from '../../protocol/preferences.js';
import { english, type MessageKey } from './areas.js';

type Messages = Record<string, Record<string, string>>;

/** Of languages that are written from right to left. */
const RIGHT_TO_LEFT: readonly string[] = ['ar', 'fa', 'he', 'ur'];

const files = import.meta.glob<Record<string, string>>('../../messages/*/*.json', {
  import: 'default',
});
let language: Language = 'en';
let asked: Language = 'en';
let messages: Messages = english;
let formats = new Map<MessageKey, IntlMessageFormat>();
const listeners = new Set<() => void>();

/** Of the window now; also for Intl. */
export function currentLanguage(): Language {
  return language;
}

export function subscribeLanguage(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function directionOf(tag: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.includes(tag) ? 'rtl' : 'ltr';
}

/** Resolves when its words are there and shown. */
export async function setLanguage(next: Language): Promise<void> {
  const wanted = Object.entries(files).flatMap(([path, load]) => {
    const [area = '', file] = path.split('/').slice(-2);
    return file === `${next}.json` ? [load().then((words) => [area, words] as const)] : [];
  });
  asked = next;
  const loaded = Object.fromEntries(await Promise.all(wanted));
  // Another one has been asked for meanwhile.
  if (asked !== next) return;
  language = next;
  messages = loaded;
  formats = new Map();
  if (typeof document !== 'undefined') {
    document.documentElement.lang = next;
    document.documentElement.dir = directionOf(next);
  }
  for (const listener of listeners) listener();
}

/** A message in the window's language. `values` are what its placeholders ask for. */
export function t(key: MessageKey, values?: Record<string, string | number>): string {
  let format = formats.get(key);
  if (!format) {
    const [area = '', name = ''] = key.split('.');
    const text = messages[area]?.[name] ?? (english as Messages)[area]?.[name] ?? key;
    format = new IntlMessageFormat(text, language, undefined, { ignoreTag: true });
    formats.set(key, format);
  }
  return String(format.format(values));
}
