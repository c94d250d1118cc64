/** Which picture the tray shows. */
import type { ModelEntry } from '../protocol/models.js';
import type { DesktopState } from './server-status.js';

/** Steps of a load that have a picture each. resources/icon/tray-icons.mjs draws as many. */
export const LOADING_STEPS = 8;

export type TrayPicture =
  | 'idle'
  | 'answering'
  | 'error'
  /** No server runs, because the person stopped it. */
  | 'off'
  | `loading-${number}`;

/**
 * For which panel a picture is drawn. `template`: black, for macOS to colour; the others: coloured, to stand on a light
 * or a dark panel.
 */
export type TrayTone = 'template' | 'light' | 'dark';

/** What is wrong comes before what goes on, and that before what is answered meanwhile. */
export function trayPicture({ server, state }: DesktopState): TrayPicture {
  switch (server.kind) {
    case 'starting':
    case 'restarting':
      return 'loading-0';
    case 'failed':
      return 'error';
    case 'stopping':
    case 'stopped':
      return 'off';
    case 'ready':
      break;
  }
  if (!state) return 'loading-0';
  const current = state.models.find(({ id }) => id === state.current_model);
  if (current && isBroken(current)) return 'error';
  const loading =
    current?.status === 'loading'
      ? current
      : state.models.find(({ status }) => status === 'loading');
  if (loading) return `loading-${loadingStep(loading.progress ?? 0)}`;
  return state.running + state.waiting > 0 ? 'answering' : 'idle';
}

/**
 * No system tells the colour of its panel, but macOS, which colours the picture itself, and Windows. Linux panels are
 * dark under nearly every theme; those of KDE follow the theme. The dark tone can be seen on a light panel too.
 * @param desktops XDG_CURRENT_DESKTOP, such as "ubuntu:GNOME"
 */
export function trayTone(
  platform: NodeJS.Platform,
  isDark: boolean,
  desktops: string | undefined,
): TrayTone {
  if (platform === 'darwin') return 'template';
  if (isDark) return 'dark';
  if (platform !== 'linux') return 'light';
  return (desktops ?? '').toUpperCase().split(':').includes('KDE') ? 'light' : 'dark';
}

/** Name of the picture's file, without its scale and ending. macOS knows templates by the end of their names. */
export function trayFile(picture: TrayPicture, tone: TrayTone): string {
  return tone === 'template' ? `${picture}-Template` : `${picture}-${tone}`;
}

function isBroken({ status }: ModelEntry): boolean {
  return status === 'failed' || status === 'crashed' || status === 'invalid';
}

/** 0 to LOADING_STEPS - 1: a ring that is whole means that it is over. */
function loadingStep(progress: number): number {
  const step = Math.floor(progress * LOADING_STEPS);
  return Math.min(Math.max(step, 0), LOADING_STEPS - 1);
}
