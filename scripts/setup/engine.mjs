// Step 3: the engine module for this machine, from the cache or built, checked before it is used.
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
import { buildTarget, builtModule } from './engine-build.mjs';
import { engineInputs, engineKey } from './engine-key.mjs';
import { cacheDir, OUT } from './paths.mjs';
import { run, SetupError } from './process.mjs';

/** Where native/index.ts looks. */
const MODULE = path.join(OUT, 'native', 'engine.node');
const STAMP = path.join(OUT, 'native', 'engine.json');
/** Loading takes some tens of milliseconds; far more means it hangs. */
const LOAD_TIMEOUT_MS = 60_000;

/**
 * Whether a file has the digest written down beside it.
 * @param {string} file
 * @param {string} stampFile
 * @param {string} key
 */
async function isIntact(file, stampFile, key) {
  const stamp = await readJson(stampFile);
  if (stamp?.key !== key || typeof stamp.sha256 !== 'string' || !(await exists(file))) return false;
  return (await hashFile(file)) === stamp.sha256;
}

/**
 * Loads a module in a process of its own, since a bad one may take its process down.
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
 * The verified module for these inputs, built if the cache does not have it.
 * @param {import('./engine-key.mjs').EngineInputs} inputs
 * @param {import('./progress.mjs').StepLine} line
 * @returns {Promise<{ file: string, wasCached: boolean, inputs: import('./engine-key.mjs').EngineInputs }>}
 */
async function cachedModule(inputs, line) {
  const key = engineKey(inputs);
  const folder = path.join(cacheDir(), 'engine', key);
  const file = path.join(folder, 'engine.node');
  const stamp = path.join(folder, 'engine.json');
  if ((await isIntact(file, stamp, key)) && (await loadFailure(file)) === null) {
    return { file, wasCached: true, inputs };
  }
  const built = builtModule(await buildTarget(inputs, 'engine', line));
  let failure = await loadFailure(built);
  if (failure !== null) {
    // A link that an earlier kill spoiled: link again, once.
    await fs.rm(built, { force: true });
    await buildTarget(inputs, 'engine', line);
    failure = await loadFailure(built);
  }
  if (failure !== null) {
    throw new SetupError(
      `The engine was built but does not load:\n${failure}`,
      'Please report this with the text above.',
    );
  }
  if (engineKey(await engineInputs()) !== key) {
    // Somebody edited a source meanwhile: what was built may be of neither state.
    return cachedModule(await engineInputs(), line);
  }
  await inTemporaryFolder(path.dirname(folder), async (temporary) => {
    const staged = path.join(temporary, 'engine');
    await fs.mkdir(staged);
    await fs.copyFile(built, path.join(staged, 'engine.node'));
    const sha256 = await hashFile(path.join(staged, 'engine.node'));
    await writeJson(path.join(staged, 'engine.json'), { key, sha256, inputs });
    await placeFolder(staged, folder, { replace: true });
  });
  return { file, wasCached: false, inputs };
}

export function engineStep() {
  return {
    title: 'Engine',
    isDone: async () => {
      // Cheap look first: without a module there is no need to ask compilers for their versions.
      if (!(await exists(MODULE))) return false;
      return isIntact(MODULE, STAMP, engineKey(await engineInputs()));
    },
    /** @param {import('./progress.mjs').StepLine} line */
    run: async (line) => {
      const { file, wasCached, inputs } = await cachedModule(await engineInputs(), line);
      const key = engineKey(inputs);
      const sha256 = await hashFile(file);
      await fs.rm(STAMP, { force: true });
      await copyAtomic(file, MODULE);
      await writeJson(STAMP, { key, sha256, inputs });
      return wasCached ? 'from the cache' : undefined;
    },
  };
}
