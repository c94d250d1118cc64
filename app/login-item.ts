import fs from 'node:fs';
import path from 'node:path';
import { app } from 'electron';
import { autostartEntry, isAutostartOn } from './autostart-entry.js';
import { loginProblem } from './login-problem.js';

/** With it the app starts in the tray, without its window. */
const ARGUMENTS = ['--hidden'];

/**
 * Whether the system starts the app at login, as the system itself has it: nothing is remembered here, so that an
 * update cannot turn it on again. null: the app runs from its sources on a system whose login items name packages.
 */
export function opensAtLogin(): boolean | null {
  if (process.platform === 'linux') return isAutostartFileOn();
  if (!app.isPackaged) return null;
  return app.getLoginItemSettings({ args: ARGUMENTS }).openAtLogin;
}

/**
 * The person's own switch; nothing else changes it.
 * @throws Error with a sentence for people, where the system refuses or has not taken it
 */
export function setOpensAtLogin(open: boolean): void {
  if (process.platform === 'linux') {
    writeAutostartFile(open);
    return;
  }
  app.setLoginItemSettings({ openAtLogin: open, args: ARGUMENTS });
  const settings = app.getLoginItemSettings({ args: ARGUMENTS });
  const problem = loginProblem(process.platform, open, settings);
  if (problem !== null) throw new Error(problem);
}

/** True when it was started by the login item on macOS, where no argument tells. */
export function wasOpenedAtLogin(): boolean {
  return process.platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin;
}

function autostartFile(): string {
  // On Linux Electron's appData is XDG_CONFIG_HOME.
  return path.join(app.getPath('appData'), 'autostart', 'pilotlight.desktop');
}

function isAutostartFileOn(): boolean {
  try {
    return isAutostartOn(fs.readFileSync(autostartFile(), 'utf8'));
  } catch {
    // A desktop that cannot read it either starts nothing.
    return false;
  }
}

function writeAutostartFile(open: boolean): void {
  const file = autostartFile();
  try {
    if (!open) {
      fs.rmSync(file, { force: true });
      return;
    }
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, autostartEntry([...ownCommand(), ...ARGUMENTS]));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The file ${file} cannot be ${open ? 'written' : 'removed'}: ${reason}.`);
  }
}

function ownCommand(): string[] {
  // An AppImage runs from a mount that is gone after the session; the image itself stays.
  const { APPIMAGE } = process.env;
  if (APPIMAGE) return [APPIMAGE];
  return app.isPackaged ? [process.execPath] : [process.execPath, app.getAppPath()];
}
