import path from 'node:path';
import { app } from 'electron';
import type { UpdateState } from '../../protocol/bridge.js';
import { linkAmong } from '../deep-link.js';
import { feedUrl, fileUrl } from './feed.js';
import { FILE_ENDINGS, isInstallable, packageKind } from './package-kind.js';
import { calm, updaterOf } from './updater.js';
import { Updates } from './updates.js';

/** After the start, so that it costs the start nothing, and then once a day; milliseconds. */
const FIRST_MS = 30_000;
const EVERY_MS = 24 * 60 * 60_000;

/** The updates of this very app. */
export function appUpdates(onChange: (state: UpdateState) => void, onInstall: () => void): Updates {
  const { env, platform } = process;
  const resources = app.isPackaged ? process.resourcesPath : '';
  const feed = app.isPackaged ? feedUrl(env, path.join(resources, 'app-update.yml')) : null;
  const kind = packageKind(platform, env, resources);
  const installable = isInstallable(kind, env);
  let image = env.APPIMAGE ?? null;
  return new Updates({
    unsupported: unsupported(feed),
    installable,
    makeUpdater: () => calm(updaterOf(kind, installable), kind, feed ?? ''),
    page: ({ files }) => {
      const file = files.find(({ url }) => url.endsWith(FILE_ENDINGS[kind]));
      return feed === null || !file ? feed : fileUrl(feed, file.url);
    },
    firstMs: FIRST_MS,
    everyMs: EVERY_MS,
    onChange,
    onInstall,
    onInstalled: () => {
      if (kind === 'appimage' && image !== null) startAgain(image);
    },
    onMoved: (file) => {
      image = file;
    },
  });
}

/** Once this one has ended; the others are started by what installs them. */
function startAgain(image: string): void {
  const args = process.argv.slice(1).filter((argument) => argument !== '--hidden');
  app.relaunch({
    execPath: image,
    args: args.filter((argument) => linkAmong([argument]) === null),
  });
}

function unsupported(feed: string | null): 'from_source' | 'no_address' | null {
  if (!app.isPackaged) return 'from_source';
  return feed === null ? 'no_address' : null;
}
