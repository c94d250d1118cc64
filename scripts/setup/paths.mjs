// Where set-up keeps things. Nothing here touches the disk.
import { homedir } from 'node:os';
import path from 'node:path';

/** The clone's root. */
export const REPO = path.resolve(import.meta.dirname, '..', '..');
/** Everything built for this clone; ignored by git. */
export const OUT = path.join(REPO, 'out');
/** Set-up's own lock, stamps and logs; ignored by git. */
export const STATE = path.join(REPO, '.pilotlight');

/**
 * The cache shared by all clones of this user: engine sources and builds, Electron runtimes, compiler cache.
 * PILOTLIGHT_CACHE_DIR wins, then the platform's usual place.
 * @param {NodeJS.ProcessEnv} [env]
 * @param {NodeJS.Platform} [platform]
 */
export function cacheDir(env = process.env, platform = process.platform) {
  if (env.PILOTLIGHT_CACHE_DIR) return path.resolve(env.PILOTLIGHT_CACHE_DIR);
  if (platform === 'darwin') return path.join(homedir(), 'Library', 'Caches', 'pilotlight');
  if (platform === 'win32') {
    const local = env.LOCALAPPDATA ?? path.join(homedir(), 'AppData', 'Local');
    return path.join(local, 'pilotlight', 'cache');
  }
  // The XDG specification says to ignore a relative path.
  const xdg = env.XDG_CACHE_HOME;
  const base = xdg && path.isAbsolute(xdg) ? xdg : path.join(homedir(), '.cache');
  return path.join(base, 'pilotlight');
}

/** Version of the C library that this Node runs on, such as "2.36"; null with another C library or system. */
export function glibcVersion() {
  if (process.platform !== 'linux') return null;
  // Without this a report also lists open sockets, with a reverse look-up for each.
  const reporter = /** @type {any} */ (process.report);
  reporter.excludeNetwork = true;
  const report = reporter.getReport();
  return /** @type {string | undefined} */ (report.header?.glibcVersionRuntime) ?? null;
}
