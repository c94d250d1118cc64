import path from 'node:path';

/**
 * Where the command line and the desktop keep chats, settings, logs and, in `models`, the person's models; null where
 * Electron's own choice (Application Support, AppData) is already that folder.
 */
export function dataFolder(
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): string | null {
  if (platform === 'darwin' || platform === 'win32') return null;
  const base = env.XDG_DATA_HOME;
  // The XDG specification says that a relative path is to be ignored.
  const parent =
    base && path.posix.isAbsolute(base) ? base : path.posix.join(home, '.local', 'share');
  return path.posix.join(parent, 'pilotlight');
}

/** Files that come with the app. */
export interface AppFiles {
  preload: string;
  server: string;
  engine: string;
  renderer: string;
  /** Folder of the engine's backend modules: the system loads them, so in a package it lies outside the archive. */
  backends: string;
  /** Folder of the built-in models. */
  builtInModels: string;
  /** Folder of the tray's and the window's icons. */
  icons: string;
}

/**
 * @param mainDir folder of the built main script: `out/main`, in the package inside app.asar
 * @param resources the package's resources folder; null when the app runs from its sources
 */
export function appFiles(mainDir: string, resources: string | null): AppFiles {
  const out = path.dirname(mainDir);
  const root = path.dirname(out);
  return {
    preload: path.join(out, 'preload', 'preload.cjs'),
    server: path.join(out, 'server', 'main.js'),
    engine: path.join(out, 'server', 'engine.js'),
    renderer: path.join(out, 'renderer'),
    backends:
      resources === null
        ? path.join(out, 'native')
        : path.join(resources, 'app.asar.unpacked', 'out', 'native'),
    builtInModels:
      resources === null ? path.join(root, 'resources') : path.join(resources, 'models'),
    icons: path.join(resources ?? path.join(root, 'resources'), 'icon'),
  };
}
