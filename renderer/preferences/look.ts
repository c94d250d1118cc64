/** How the window looks: on the document, and a copy in this browser for the next first paint (public/first-paint.js). */
import { z } from 'zod';
import {
  PREFERENCE_DEFAULTS,
  type Preferences,
  preferencesSchema,
} from '../../protocol/preferences.js';

const STORAGE_KEY = 'pilotlight.look';
/** Of earlier versions, which kept the theme in the browser alone. */
const EARLIER_THEME_KEY = 'pilotlight.theme';

const lookSchema = preferencesSchema.pick({
  theme: true,
  accent: true,
  text_size: true,
  language: true,
});

/** What was shown last in this browser; defaults for all else. */
export function storedPreferences(): Preferences {
  try {
    const look = lookSchema.safeParse(JSON.parse(localStorage.getItem(STORAGE_KEY) ?? ''));
    return { ...PREFERENCE_DEFAULTS, ...(look.data ?? {}) };
  } catch {
    return PREFERENCE_DEFAULTS;
  }
}

/** Shows and keeps the looks. */
export function applyLook({ theme, accent, text_size, language }: Preferences): void {
  const root = document.documentElement;
  if (theme === 'system') root.removeAttribute('data-theme');
  else root.dataset.theme = theme;
  root.dataset.accent = accent;
  root.style.setProperty('--text-size', String(text_size));
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify({ theme, accent, text_size, language }));
  } catch {
    // Without storage the next window begins with the defaults, until the server says otherwise.
  }
}

/** The theme that an earlier version kept, once; null: none. */
export function takeEarlierTheme(): 'light' | 'dark' | null {
  try {
    const theme = z.enum(['light', 'dark']).safeParse(localStorage.getItem(EARLIER_THEME_KEY));
    localStorage.removeItem(EARLIER_THEME_KEY);
    return theme.data ?? null;
  } catch {
    return null;
  }
}
