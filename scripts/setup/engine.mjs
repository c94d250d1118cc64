// Step 3: the engine for this machine, from the cache or built, checked before it is used.
import fs from 'node:fs/promises';
import path from 'node:path';
import {
  copyAtomic,
  exists,
  hashFile,
  inTemporaryFolder,
  placeFolder,
  readJson,
  writeJson,
} from './cache.mjs';
import { buildTarget, builtFiles, ENGINE_FILE } from './engine-build.mjs';
import { engineInputs, engineKey } from './engine-key.mjs';
import { cacheDir, OUT } from './paths.mjs';
import { run, SetupError } from './process.mjs';

/** @typedef {import('./engine-key.mjs').EngineInputs} EngineInputs */

/** Where native/index.ts looks. */
const FOLDER = path.join(OUT, 'native');
/** Which engine a folder holds: its key, and a digest of each file. */
const STAMP = 'engine.json';
/** Loading takes some tens of milliseconds; far more means it hangs. */
const LOAD_TIMEOUT_MS = 60_000;

/**
 * Whether a folder holds the engine of this key, unchanged.
 * @param {string} folder
 * @param {string} key
 */
async function isIntact(folder, key) {
  const stamp = await readJson(path.join(folder, STAMP));
  if (stamp?.key !== key || typeof stamp.files?.['engine.node'] !== 'string') return false;
  for (const [name, digest] of Object.entries(stamp.files)) {
    const file = path.join(folder, name);
    if (!(await exists(file)) || (await hashFile(file)) !== digest) return false;
  }
  return true;
}

/**
 * Loads an addon in a process of its own, since a bad one may take its process down.
 * @param {string} file
 * @returns {Promise<string | null>} null if it loads, else why not
 */
async function loadFailure(file) {
  try {
    await run(process.execPath, ['-e', 'process.dlopen({ exports: {} }, process.argv[1])', file], {
      timeoutMs: LOAD_TIMEOUT_MS,
    });
    return null;
  } catch (error) {
    const { message, output } = /** @type {import('./process.mjs').CommandError} */ (error);
    return `${message}\n${output ?? ''}`.trim();
  }
}

/**
 * The verified engine, built if the cache does not have it.
 * @param {() => Promise<EngineInputs>} readInputs
 * @param {import('./progress.mjs').StepLine} line
 * @returns {Promise<{ folder: string, wasCached: boolean, key: string }>}
 */
async function cachedEngine(readInputs, line) {
  const inputs = await readInputs();
  const key = engineKey(inputs);
  const folder = path.join(cacheDir(), 'engine', key);
  const addon = path.join(folder, 'engine.node');
  if ((await isIntact(folder, key)) && (await loadFailure(addon)) === null) {
    return { folder, wasCached: true, key };
  }
  let built = await builtFiles(await buildTarget(inputs, 'engine', line));
  let failure = await loadFailure(/** @type {string} */ (built[0]));
  if (failure !== null) {
    // A link that an earlier kill spoiled: link again, once.
    for (const file of built) await fs.rm(file, { force: true });
    built = await builtFiles(await buildTarget(inputs, 'engine', line));
    failure = await loadFailure(/** @type {string} */ (built[0]));
  }
  if (failure !== null) {
    throw new SetupError(
      `The engine was built but does not load:\n${failure}`,
      'Please report this with the text above.',
    );
  }
  // Somebody edited a source meanwhile: what was built may be of neither state.
  if (engineKey(await readInputs()) !== key) return cachedEngine(readInputs, line);
  await inTemporaryFolder(path.dirname(folder), async (temporary) => {
    const staged = path.join(temporary, 'engine');
    await fs.mkdir(staged);
    /** @type {Record<string, string>} */
    const files = {};
    for (const file of built) {
      const copy = path.join(staged, path.basename(file));
      await fs.copyFile(file, copy);
      files[path.basename(file)] = await hashFile(copy);
    }
    await writeJson(path.join(staged, STAMP), { key, files, inputs });
    await placeFolder(staged, folder, { replace: true });
  });
  return { folder, wasCached: false, key };
}

/**
 * Puts an engine into a folder, in place of another one.
 * @param {() => Promise<EngineInputs>} readInputs
 * @param {string} target
 * @param {import('./progress.mjs').StepLine} line
 * @returns {Promise<boolean>} whether it was in the cache
 */
export async function installEngine(readInputs, target, line) {
  const { folder, wasCached } = await cachedEngine(readInputs, line);
  const stamp = await readJson(path.join(folder, STAMP));
  await fs.mkdir(target, { recursive: true });
  await fs.rm(path.join(target, STAMP), { force: true });
  const names = Object.keys(stamp.files);
  for (const name of names) await copyAtomic(path.join(folder, name), path.join(target, name));
  for (const name of await fs.readdir(target)) {
    if (ENGINE_FILE.test(name) && !names.includes(name)) await fs.rm(path.join(target, name));
  }
  await writeJson(path.join(target, STAMP), stamp);
  return wasCached;
}

export function engineStep() {
  return {
    title: 'Engine',
    isDone: async () => {
      // Cheap look first: without an engine there is no need to ask compilers for their versions.
      if (!(await exists(path.join(FOLDER, 'engine.node')))) return false;
      return isIntact(FOLDER, engineKey(await engineInputs()));
    },
    /** @param {import('./progress.mjs').StepLine} line */
    run: async (line) =>
      (await installEngine(() => engineInputs(), FOLDER, line)) ? 'from the cache' : undefined,
  };
}
