import { useSyncExternalStore } from 'react';
import type { Language } from '../../protocol/preferences.js';
import { currentLanguage, subscribeLanguage } from './i18n.js';

/**
 * The window's language. The whole window is drawn anew with it from its root; a component that is kept by `memo`, and a
 * `useMemo` with words in it, need it for themselves.
 */
export function useLanguage(): Language {
  return useSyncExternalStore(subscribeLanguage, currentLanguage);
}
