/** How the window looks and behaves, for all windows and browsers of this server. Part of the settings and of the state. */
import { z } from 'zod';

export const LANGUAGES = ['en', 'de', 'es', 'fr', 'ja', 'zh'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The screens of the first run, in their order. */
export const WELCOME_STEPS = ['folder', 'model', 'done'] as const;
export type WelcomeStep = (typeof WELCOME_STEPS)[number];

export const ACCENTS = ['blue', 'violet', 'green', 'orange', 'rose', 'grey'] as const;

export const preferencesSchema = z.strictObject({
  theme: z.enum(['system', 'light', 'dark']),
  accent: z.enum(ACCENTS),
  text_size: z.number().min(0.8).max(1.6).describe('1: as designed.'),
  language: z.enum(['system', ...LANGUAGES]),
  send_with: z.enum(['enter', 'mod_enter']).describe('mod: Ctrl, on a Mac Command.'),
  quick_ask_shortcut: z
    .string()
    .max(100)
    .nullable()
    .describe(
      'As Electron\'s accelerators, such as "Alt+Space"; null: none. Works while another program is in front.',
    ),
  check_for_updates: z.boolean(),
  welcomed: z.boolean().describe('The first run has been gone through.'),
  welcome_step: z
    .enum(WELCOME_STEPS)
    .nullable()
    .describe('Where the first run was left, while it goes on; null: it has not begun.'),
});
export type Preferences = z.infer<typeof preferencesSchema>;

export const PREFERENCE_DEFAULTS: Preferences = {
  theme: 'system',
  accent: 'blue',
  text_size: 1,
  language: 'system',
  send_with: 'enter',
  quick_ask_shortcut: null,
  check_for_updates: true,
  welcomed: false,
  welcome_step: null,
};

/** The best of ours for a list of wishes, such as `navigator.languages`. */
export function bestLanguage(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const found = LANGUAGES.find((known) => tag.toLowerCase().split('-')[0] === known);
    if (found) return found;
  }
  return 'en';
}
