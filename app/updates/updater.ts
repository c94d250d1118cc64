/** electron-updater for what this app was installed as. */
import { AppImageUpdater, AppUpdater, DebUpdater, MacUpdater, NsisUpdater } from 'electron-updater';
import type { PackageKind } from './package-kind.js';

/** What stands for Electron's app where there is none, in tests; undefined: Electron's own. */
type AppAdapter = ConstructorParameters<typeof DebUpdater>[1];

/** Looks for new versions of what only a person can replace, such as an unpacked archive. */
class LookingUpdater extends AppUpdater {
  constructor(app: AppAdapter) {
    super(null, app);
  }

  protected override doDownloadUpdate(): Promise<never> {
    return Promise.reject(new Error('This package cannot replace itself.'));
  }

  override quitAndInstall(): void {
    throw new Error('This package cannot replace itself.');
  }
}

/** The one for a kind of package, before it is told how to behave. */
export function updaterOf(
  kind: PackageKind,
  installable: boolean,
  app?: NonNullable<AppAdapter>,
): AppUpdater {
  if (!installable) return new LookingUpdater(app);
  switch (kind) {
    case 'appimage':
      return new AppImageUpdater(null, app);
    case 'deb':
      return new DebUpdater(null, app);
    case 'nsis':
      return new NsisUpdater(null, app);
    case 'dmg':
      return new MacUpdater(undefined, app);
    case 'archive':
      return new LookingUpdater(app);
  }
}

/**
 * From now on it asks this address, but only when it is told to, fetches and installs nothing by itself, and does not
 * let the server tell one installation from another.
 */
export function calm(updater: AppUpdater, kind: PackageKind, url: string): AppUpdater {
  updater.autoDownload = false;
  updater.autoInstallOnAppQuit = false;
  // A new image would start beside this one, which still has the data folder: it is started later.
  updater.autoRunAppAfterInstall = kind !== 'appimage';
  updater.disableWebInstaller = true;
  updater.requestHeaders = { 'x-user-staging-id': 'none' };
  updater.logger = null;
  updater.setFeedURL({ provider: 'generic', url });
  return updater;
}
