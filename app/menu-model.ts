import type { ModelEntry } from '../protocol/models.js';
import { type DesktopState, loading, summary } from './server-status.js';

export type MenuAction =
  | { type: 'select-model'; model: string }
  | { type: 'open' }
  | { type: 'open-models-folder' }
  | { type: 'copy-address' }
  | { type: 'set-open-at-login'; open: boolean }
  | { type: 'quit' };

export type MenuEntry =
  | { kind: 'separator' }
  | {
      kind: 'item';
      id: string;
      /** Already escaped for Electron, where "&" marks an access key. */
      label: string;
      /** Whole text of a label that was cut, or the reason why an entry is disabled; macOS shows it. */
      toolTip: string | null;
      enabled: boolean;
      /** null: an entry without a tick. */
      checked: boolean | null;
      action: MenuAction | null;
    };

/** Characters of a label; menus grow with their longest entry and models have long names. */
const LABEL_LENGTH = 72;

/**
 * The tray's menu, top to bottom.
 * @param openAtLogin null: this system has no such switch
 */
export function trayMenu(desktop: DesktopState, openAtLogin: boolean | null): MenuEntry[] {
  const url = desktop.state?.url ?? null;
  const models = desktop.state?.models ?? [];
  return [
    item('summary', summary(desktop), null, { enabled: false }),
    { kind: 'separator' },
    ...models.map((model) => modelItem(model, model.id === desktop.state?.current_model)),
    ...(models.length > 0 ? [{ kind: 'separator' } as const] : []),
    item('open', 'Open Pilotlight', { type: 'open' }),
    item('open-models-folder', 'Open models folder', { type: 'open-models-folder' }),
    item(
      'copy-address',
      url ? `Copy API address (${url}/v1)` : 'Copy API address',
      { type: 'copy-address' },
      {
        enabled: url !== null,
      },
    ),
    { kind: 'separator' },
    ...(openAtLogin === null
      ? []
      : [
          item(
            'open-at-login',
            'Start at login',
            { type: 'set-open-at-login', open: !openAtLogin },
            { checked: openAtLogin },
          ),
        ]),
    item('quit', 'Quit Pilotlight', { type: 'quit' }),
  ];
}

/** Text that the tray's icon shows under the pointer. */
export function trayToolTip(desktop: DesktopState): string {
  const url = desktop.state?.url;
  return url ? `Pilotlight · ${summary(desktop)} · ${url}` : `Pilotlight · ${summary(desktop)}`;
}

function modelItem(model: ModelEntry, current: boolean): MenuEntry {
  const note = modelNote(model);
  const text = note === null ? model.name : `${model.name} — ${note}`;
  const action: MenuAction = { type: 'select-model', model: model.id };
  return item(`model:${model.id}`, text, action, {
    enabled: model.status !== 'invalid' && model.kind === 'generative',
    checked: current,
  });
}

function modelNote(model: ModelEntry): string | null {
  switch (model.status) {
    case 'loading':
      return loading(model);
    case 'unloading':
      return 'unloading';
    case 'invalid':
    case 'failed':
    case 'crashed':
      return model.reason ?? 'cannot be loaded';
    case 'loaded':
    case 'unloaded':
      return KIND_NOTE[model.kind];
  }
}

/** What a model that cannot answer a chat is for. */
const KIND_NOTE = { generative: null, embedding: 'for embeddings', rerank: 'for ranking' } as const;

function item(
  id: string,
  text: string,
  action: MenuAction | null,
  options: { enabled?: boolean; checked?: boolean } = {},
): MenuEntry {
  const cut = [...text].length > LABEL_LENGTH;
  const label = cut ? `${[...text].slice(0, LABEL_LENGTH - 1).join('')}…` : text;
  return {
    kind: 'item',
    id,
    label: label.replaceAll('&', '&&').replaceAll(/\s+/g, ' '),
    toolTip: cut ? text : null,
    enabled: options.enabled ?? true,
    checked: options.checked ?? null,
    action,
  };
}
