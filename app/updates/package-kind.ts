/** What this app was installed as, on which it depends who can replace it. */
import fs from 'node:fs';
import path from 'node:path';

export type PackageKind = 'appimage' | 'deb' | 'archive' | 'nsis' | 'dmg';

/** @param resources the package's resources folder; a Debian package says there what it is */
export function packageKind(
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
  resources: string,
): PackageKind {
  if (platform === 'darwin') return 'dmg';
  if (platform === 'win32') return 'nsis';
  if (env.APPIMAGE) return 'appimage';
  try {
    const kind = fs.readFileSync(path.join(resources, 'package-type'), 'utf8').trim();
    return kind === 'deb' ? 'deb' : 'archive';
  } catch {
    return 'archive';
  }
}

/**
 * Whether the package can put a newer one in its place. A Debian package needs the administrator's password, which is
 * asked for by a program that not every desktop has.
 */
export function isInstallable(
  kind: PackageKind,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  if (kind === 'archive') return false;
  if (kind !== 'deb') return true;
  const folders = (env.PATH ?? '').split(path.delimiter).filter((dir) => path.isAbsolute(dir));
  return folders.some((folder) => fs.existsSync(path.join(folder, 'pkexec')));
}

/** How the name of the file ends that a person downloads to replace it by hand. */
export const FILE_ENDINGS: Readonly<Record<PackageKind, string>> = {
  appimage: '.AppImage',
  deb: '.deb',
  archive: '.tar.gz',
  nsis: '.exe',
  dmg: '.dmg',
};
