/** Where Pilotlight keeps things. The desktop app uses the same folders. */
import { existsSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The person's folder for settings, logs and models: `~/.local/share/pilotlight` (or under XDG_DATA_HOME) on Linux,
 * `~/Library/Application Support/Pilotlight` on macOS, `%APPDATA%\Pilotlight` on Windows.
 */
export function defaultDataDir(
  platform: NodeJS.Platform = process.platform,
  env: NodeJS.ProcessEnv = process.env,
  home: string = os.homedir(),
): string {
  if (platform === 'win32') {
    const roaming = env.APPDATA || path.win32.join(home, 'AppData', 'Roaming');
    return path.win32.join(roaming, 'Pilotlight');
  }
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support', 'Pilotlight');
  // The XDG rules say that a relative value is to be ignored.
  const xdg = env.XDG_DATA_HOME;
  const base = xdg && path.isAbsolute(xdg) ? xdg : path.join(home, '.local', 'share');
  return path.join(base, 'pilotlight');
}

/** The models folder that belongs to a data folder. */
export function modelsDirOf(dataDir: string): string {
  return path.join(dataDir, 'models');
}

/** The folder of the program's own package.json: the clone, or the packaged app. */
export function programDir(): string {
  let dir = path.dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const file = path.join(dir, 'package.json');
    if (existsSync(file) && packageOf(file).name === 'pilotlight') return dir;
    const parent = path.dirname(dir);
    if (parent === dir) throw new Error(`No package.json of Pilotlight above ${import.meta.url}.`);
    dir = parent;
  }
}

/** Such as "0.1.0". */
export function programVersion(): string {
  return packageOf(path.join(programDir(), 'package.json')).version ?? '0.0.0';
}

function packageOf(file: string): { name?: string; version?: string } {
  return JSON.parse(readFileSync(file, 'utf8')) as { name?: string; version?: string };
}
