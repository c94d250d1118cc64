import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const WATCHER = 'org.kde.StatusNotifierWatcher';
const PROPERTY = 'IsStatusNotifierHostRegistered';
/** Programs that ask the session bus whether a tray is there; which of them is installed differs by distribution. */
const QUESTIONS: readonly [command: string, ...args: string[]][] = [
  ['busctl', '--user', 'get-property', WATCHER, '/StatusNotifierWatcher', WATCHER, PROPERTY],
  [
    'gdbus',
    'call',
    '--session',
    `--dest=${WATCHER}`,
    '--object-path=/StatusNotifierWatcher',
    '--method=org.freedesktop.DBus.Properties.Get',
    WATCHER,
    PROPERTY,
  ],
  [
    'dbus-send',
    '--session',
    '--print-reply',
    `--dest=${WATCHER}`,
    '/StatusNotifierWatcher',
    'org.freedesktop.DBus.Properties.Get',
    `string:${WATCHER}`,
    `string:${PROPERTY}`,
  ],
];
/** Longest wait for an answer of the bus, in milliseconds; the person has just closed the window. */
const ANSWER_MS = 1_000;

/** Runs a program and gives its standard output; rejects when it is missing, fails or takes too long. */
export type RunProgram = (command: string, args: string[]) => Promise<string>;

const runProgram: RunProgram = async (command, args) =>
  (await promisify(execFile)(command, args, { timeout: ANSWER_MS })).stdout;

/**
 * Whether the person can see the app's icon in a tray. macOS and Windows always have one; a Linux desktop may have
 * none, and Electron does not tell.
 * @param bounds of the icon as the tray gives them, all 0 where it does not know
 */
export async function trayIsVisible(
  bounds: { width: number; height: number },
  platform: NodeJS.Platform = process.platform,
  run: RunProgram = runProgram,
): Promise<boolean> {
  if (platform === 'darwin' || platform === 'win32') return true;
  if (bounds.width > 0 && bounds.height > 0) return true;
  for (const [command, ...args] of QUESTIONS) {
    try {
      return /\btrue\b/.test(await run(command, args));
    } catch (error) {
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      if (!isMissing) return false;
    }
  }
  return false;
}
