import fs from 'node:fs';
import path from 'node:path';
import { app } from 'electron';
import { autostartEntry } from './autostart-entry.js';

/** With it the app starts in the tray, without its window. */
const ARGUMENTS = ['--hidden'];

/**
 * Whether the system starts the app at login, as the system itself has it: nothing is remembered here, so that an
 * update cannot turn it on again. null: the app runs from its sources on a system whose login items name packages.
 */
export function opensAtLogin(): boolean | null {
  if (process.platform === 'linux') return fs.existsSync(autostartFile());
  if (!app.isPackaged) return null;
  return app.getLoginItemSettings({ args: ARGUMENTS }).openAtLogin;
}

/**
 * The person's own switch; nothing else changes it.
 * @throws Error when the system refuses
 */
export function setOpensAtLogin(open: boolean): void {
  if (process.platform !== 'linux') {
    app.setLoginItemSettings({ openAtLogin: open, args: ARGUMENTS });
    return;
  }
  const file = autostartFile();
  if (!open) {
    fs.rmSync(file, { force: true });
    return;
  }
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, autostartEntry([...ownCommand(), ...ARGUMENTS]));
}

/** True when it was started by the login item on macOS, where no argument tells. */
export function wasOpenedAtLogin(): boolean {
  return process.platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin;
}

function autostartFile(): string {
  // On Linux Electron's appData is XDG_CONFIG_HOME.
  return path.join(app.getPath('appData'), 'autostart', 'pilotlight.desktop');
}

function ownCommand(): string[] {
  // An AppImage runs from a mount that is gone after the session; the image itself stays.
  const { APPIMAGE } = process.env;
  if (APPIMAGE) return [APPIMAGE];
  return app.isPackaged ? [process.execPath] : [process.execPath, app.getAppPath()];
}
