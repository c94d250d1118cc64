/** The tray's menu as a function of what is shown in it. */
import { downloadEntries } from './download-entries.js';
import { item, type MenuEntry, withSeparators } from './menu-entry.js';
import { modelEntries, unloadEntries } from './model-entries.js';
import { requestEntries } from './request-entries.js';
import { type DesktopState, type ServerStatus, summary } from './server-status.js';
import { say } from './words.js';

/**
 * Top to bottom.
 * @param openAtLogin null: this system has no such switch
 */
export function trayMenu(desktop: DesktopState, openAtLogin: boolean | null): MenuEntry[] {
  const { server, state } = desktop;
  const url = state?.url ?? null;
  const { text, note } = summary(desktop);
  return withSeparators([
    [item('summary', text, null, { enabled: false, note, joint: ': ' })],
    state ? modelEntries(state) : [],
    state ? [...unloadEntries(state), ...requestEntries(state), ...downloadEntries(state)] : [],
    [
      item('open', say('open'), { type: 'open' }),
      item('quick-ask', say('quick_ask'), { type: 'quick-ask' }, { enabled: url !== null }),
      item('open-models-folder', say('open_models_folder'), { type: 'open-models-folder' }),
      item(
        'copy-address',
        url ? say('copy_this_address', { address: `${url}/v1` }) : say('copy_address'),
        { type: 'copy-address' },
        { enabled: url !== null },
      ),
      ...(state === null
        ? []
        : [
            item(
              'serving',
              say('serve_programs'),
              { type: 'set-serving', enabled: !state.serving },
              { checked: state.serving },
            ),
          ]),
      serverEntry(server),
    ],
    [
      ...(openAtLogin === null
        ? []
        : [
            item(
              'open-at-login',
              say('open_at_login'),
              { type: 'set-open-at-login', open: !openAtLogin },
              { checked: openAtLogin },
            ),
          ]),
      item('quit', say('quit'), { type: 'quit' }),
    ],
  ]);
}

/**
 * What a person who looks for an entry goes by: which there are and what they are good for, without those that come and
 * go with requests and downloads, and without what labels count.
 */
export function menuOutline(entries: readonly MenuEntry[]): string {
  const outline = entries.map((entry) => {
    if (entry.kind === 'separator') return null;
    if (/^(requests|more-downloads|download:.*)$/s.test(entry.id)) return null;
    return entry.kind === 'item' ? [entry.id, entry.enabled, entry.checked] : entry.id;
  });
  return JSON.stringify(outline.filter((part) => part !== null));
}

/** Text that the tray's icon shows under the pointer. */
export function trayToolTip(desktop: DesktopState): string {
  const { text, note } = summary(desktop);
  const url = desktop.state?.url;
  const said = note === null ? text : `${text}: ${note}`;
  return ['Pilotlight', said, ...(url === undefined ? [] : [url])].join(' · ');
}

function serverEntry({ kind }: ServerStatus): MenuEntry {
  switch (kind) {
    case 'starting':
    case 'restarting':
    case 'ready':
      return item('server', say('stop_server'), { type: 'stop-server' });
    case 'stopping':
      return item('server', say('stopping_server'), null, { enabled: false });
    case 'stopped':
    case 'failed':
      return item('server', say('start_server'), { type: 'start-server' });
  }
}
