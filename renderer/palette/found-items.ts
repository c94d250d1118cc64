/** What the palette finds beside the commands. */
import type { ChatSummary } from '../../protocol/chats.js';
import type { ModelEntry } from '../../protocol/models.js';
import { desktop } from '../api/bridge.js';
import { t } from '../i18n/i18n.js';
import { canAnswer } from '../models/model-state.js';
import { SECTIONS, SETTINGS } from '../settings/sections.js';
import { navigate } from '../shell/use-route.js';
import { titleOf } from '../sidebar/titles.js';
import type { PaletteItem } from './palette-items.js';

/** All chats that have a title, newest first; the archived ones too, since they are asked for by name. */
export function chatItems(chats: readonly ChatSummary[]): PaletteItem[] {
  return chats
    .filter(({ title }) => title.trim() !== '')
    .sort((a, b) => b.updated_at - a.updated_at)
    .map((chat) => ({
      id: `chat:${chat.id}`,
      kind: 'chat',
      label: titleOf(chat),
      keys: null,
      run: () => navigate({ page: 'chat', id: chat.id }),
    }));
}

/** The models that can be switched to. */
export function modelItems(
  models: readonly ModelEntry[],
  onPick: (id: string) => void,
): PaletteItem[] {
  return models.filter(canAnswer).map(({ id, name }) => ({
    id: `model:${id}`,
    kind: 'model',
    label: name,
    keys: null,
    run: () => onPick(id),
  }));
}

/** The parts of the settings, and every single one. */
export function settingItems(): PaletteItem[] {
  const sections = SECTIONS.map(
    ({ name, title }): PaletteItem => ({
      id: `settings:${name}`,
      kind: 'setting',
      label: t(title),
      keys: null,
      run: () => navigate({ page: 'settings', section: name, item: null }),
    }),
  );
  const settings = SETTINGS.filter((setting) => desktop !== null || !setting.desktop).map(
    ({ id, section, title }): PaletteItem => ({
      id: `setting:${id}`,
      kind: 'setting',
      label: t(title),
      keys: null,
      run: () => navigate({ page: 'settings', section, item: id }),
    }),
  );
  return [...sections, ...settings];
}
