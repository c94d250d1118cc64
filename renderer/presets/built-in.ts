/** System prompts that come with Pilotlight, in the window's language. */
import type { Preset } from '../../protocol/chats.js';
import { t } from '../i18n/i18n.js';

const NAMES = [
  'brief',
  'explainer',
  'interviewer',
  'proofreader',
  'reviewer',
  'translator',
] as const;

export function builtInPresets(): Preset[] {
  return NAMES.map((name) => ({
    id: `built-in:${name}`,
    name: t(`presets.${name}`),
    system_prompt: t(`presets.${name}_prompt`),
    built_in: true,
  }));
}
