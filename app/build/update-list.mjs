/** The list of a version's files that electron-updater asks for, to be put beside them where updates come from. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';

/** What the app can be updated with, on each system. @type {Record<string, RegExp>} */
const FILES = {
  linux: /\.(AppImage|deb|tar\.gz)$/,
  darwin: /\.(zip|dmg)$/,
  win32: /\.exe$/,
};

/** @param {string} platform @param {string} arch */
export function updateListName(platform, arch) {
  if (platform === 'darwin') return 'latest-mac.yml';
  if (platform === 'win32') return 'latest.yml';
  return arch === 'x64' ? 'latest-linux.yml' : `latest-linux-${arch}.yml`;
}

/**
 * Writes the list of the files of this version in a folder; written as JSON, which is YAML as well.
 * @param {string} folder
 * @param {{ version: string, platform: string, arch: string, notes?: string }} options
 * @returns {Promise<string>} its file
 */
export async function writeUpdateList(folder, { version, platform, arch, notes }) {
  const names = (await fs.readdir(folder)).filter(
    (name) => FILES[platform]?.test(name) && name.includes(version),
  );
  const files = [];
  for (const name of names.sort()) {
    const file = path.join(folder, name);
    files.push({ url: name, sha512: await sha512(file), size: (await fs.stat(file)).size });
  }
  const first = files[0];
  if (!first) throw new Error(`${folder} holds no package of version ${version}.`);
  const list = {
    version,
    files,
    path: first.url,
    sha512: first.sha512,
    ...(notes === undefined ? {} : { releaseNotes: notes }),
    releaseDate: new Date().toISOString(),
  };
  const target = path.join(folder, updateListName(platform, arch));
  await fs.writeFile(target, `${JSON.stringify(list, null, 2)}\n`);
  return target;
}

/** @param {string} file */
async function sha512(file) {
  const hash = createHash('sha512');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('base64');
}
