import type { Language } from '../../protocol/preferences.js';

/** Each language in its own words, so that who reads no other one finds it. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
  ja: '日本語',
  zh: '简体中文',
};
