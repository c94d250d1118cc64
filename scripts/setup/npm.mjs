// Step 2: npm packages, exactly as package-lock.json has them.
import fs from 'node:fs/promises';
import path from 'node:path';
import { exists, readJson, sha256, writeJson } from './cache.mjs';
import { glibcVersion, REPO } from './paths.mjs';
import { CommandError, logPath, run, SetupError, tail, which } from './process.mjs';

const MODULES = path.join(REPO, 'node_modules');
/** Inside node_modules, because `npm ci` begins by deleting that: a killed run leaves no stamp. */
const STAMP = path.join(MODULES, '.pilotlight.json');

/**
 * How to start npm: its script under this very Node where that is found (no shell, no .cmd file), else by name.
 * @returns {Promise<{ command: string, args: string[] }>}
 */
export async function npmCommand() {
  const bin = path.dirname(process.execPath);
  const candidates = [
    process.env.npm_execpath ?? '',
    path.join(bin, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    path.join(bin, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
  ];
  for (const script of candidates) {
    // npm_execpath is another program's where yarn or pnpm started us, and npx-cli.js under some npx.
    if (path.basename(script) === 'npm-cli.js' && (await exists(script))) {
      return { command: process.execPath, args: [script] };
    }
  }
  const npm = await which('npm');
  if (npm === null) {
    throw new SetupError(
      'npm was not found beside Node nor on PATH.',
      'Install npm (it comes with Node from nodejs.org; on Debian: apt-get install npm), then start again.',
    );
  }
  return { command: npm, args: [] };
}

/**
 * The environment for an npm that we start: what an outer `npm start` or `npx` said about its own run is taken out,
 * what the person configured (registry, proxy, certificates) stays.
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {NodeJS.ProcessEnv}
 */
export function npmEnvironment(env = process.env) {
  const own = Object.entries(env).filter(
    ([key]) =>
      !/^npm_(package|lifecycle|command|execpath|node_execpath)/i.test(key) &&
      !/^npm_config_(local_prefix|prefix|yes|omit|include|production|allow_scripts|user_agent|ignore_scripts)$/i.test(
        key,
      ) &&
      key !== 'INIT_CWD',
  );
  return {
    ...Object.fromEntries(own),
    ELECTRON_SKIP_BINARY_DOWNLOAD: '1',
    PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1',
  };
}

/**
 * Whether a finished install describes the same packages as the lock file. npm writes the installed list last, so it
 * is absent after a killed `npm ci`. Packages for other platforms are rightly not installed.
 * @param {any} lock package-lock.json
 * @param {any} installed node_modules/.package-lock.json
 */
export function isSameTree(lock, installed) {
  if (!lock?.packages || !installed?.packages) return false;
  const wanted = Object.entries(lock.packages).filter(([place]) => place !== '');
  const names = new Set(wanted.map(([place]) => place));
  if (Object.keys(installed.packages).some((place) => !names.has(place))) return false;
  return wanted.every(([place, entry]) => {
    const found = installed.packages[place];
    if (!found) return Boolean(entry.optional) && !isForThisPlatform(entry);
    return found.version === entry.version && found.integrity === entry.integrity;
  });
}

/**
 * Whether an optional package names this platform. One that names none is there for another optional package's sake.
 * @param {{ os?: string[], cpu?: string[], libc?: string[] }} entry
 */
function isForThisPlatform(entry) {
  if (!entry.os && !entry.cpu && !entry.libc) return false;
  const libc = process.platform === 'linux' ? glibcVersion() : null;
  return (
    (!entry.os || entry.os.includes(process.platform)) &&
    (!entry.cpu || entry.cpu.includes(process.arch)) &&
    (!entry.libc || entry.libc.includes(libc ? 'glibc' : 'musl'))
  );
}

async function wantedStamp() {
  const lock = await fs.readFile(path.join(REPO, 'package-lock.json'));
  return { lock: sha256(lock), node: Number(process.versions.node.split('.')[0]) };
}

async function isDone() {
  const installed = await readJson(path.join(MODULES, '.package-lock.json'));
  if (!(await arePresent(installed))) return false;
  const wanted = await wantedStamp();
  const stamp = await readJson(STAMP);
  if (stamp?.lock === wanted.lock && stamp?.node === wanted.node) return true;
  if (stamp?.node !== undefined && stamp.node !== wanted.node) return false;
  // Somebody ran npm by hand: if that made the tree we want, it counts.
  if (!isSameTree(await readJson(path.join(REPO, 'package-lock.json')), installed)) return false;
  await writeJson(STAMP, wanted);
  return true;
}

/**
 * Whether every package that npm says it installed is still there.
 * @param {any} installed node_modules/.package-lock.json
 */
async function arePresent(installed) {
  if (!installed?.packages) return false;
  const places = Object.keys(installed.packages);
  const found = await Promise.all(
    places.map((place) => exists(path.join(REPO, place, 'package.json'))),
  );
  return found.every(Boolean);
}

/** npm says the reason first and a page of usage after it. */
const N_ERROR_LINES = 12;

/**
 * The first lines that npm marks as errors, or the end of its output.
 * @param {string} log
 */
export async function npmErrors(log) {
  const text = await fs.readFile(log, 'utf8').catch(() => '');
  const errors = text.split('\n').filter((line) => /^npm (error|ERR!)\s+\S/.test(line));
  return errors.length > 0 ? errors.slice(0, N_ERROR_LINES).join('\n') : tail(text);
}

export function npmPackagesStep() {
  return {
    title: 'npm packages',
    isDone,
    run: async () => {
      const npm = await npmCommand();
      const wanted = await wantedStamp();
      const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=warn'];
      try {
        await run(npm.command, [...npm.args, ...args], {
          cwd: REPO,
          env: npmEnvironment(),
          log: 'npm.log',
        });
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        throw new SetupError(
          `npm ci failed:\n${await npmErrors(logPath('npm.log'))}`,
          `Check the network (and HTTPS_PROXY or your npm configuration, where you need them), then start again. The whole output is in ${logPath('npm.log')}.`,
        );
      }
      await writeJson(STAMP, wanted);
    },
  };
}
