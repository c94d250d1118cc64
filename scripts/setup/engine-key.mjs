// What an engine build depends on, as one key: two builds with the same key are interchangeable, and a cached one
// with any other key is never used.
import path from 'node:path';
import { hashTree, readJson, sha256 } from './cache.mjs';
import { targetCpu } from './cpu.mjs';
import { sourcePin } from './engine-source.mjs';
import { glibcVersion, REPO } from './paths.mjs';
import { read, SetupError, which } from './process.mjs';
import { compilerId } from './system-packages.mjs';

/** npm packages whose headers and settings go into the build. */
const BUILD_PACKAGES = ['cmake-js', 'node-addon-api', 'node-api-headers'];
const GPUS = ['cpu', 'cuda', 'metal', 'vulkan'];
/** Raise it when this script builds differently from equal inputs. */
const BUILD_REVISION = 1;

/**
 * @typedef {object} EngineInputs
 * @property {number} revision
 * @property {string} platform
 * @property {string} arch
 * @property {string} gpu cpu, cuda, metal or vulkan
 * @property {import('./cpu.mjs').Target} cpu
 * @property {string | null} gpuCompiler nvcc's --version, for CUDA
 * @property {string} compiler first line of its --version
 * @property {string} cmake version line
 * @property {string} generator CMake generator, '' for cmake-js's own choice
 * @property {string | null} glibc
 * @property {string[]} packages BUILD_PACKAGES with their versions
 * @property {string} source digest of the pinned llama.cpp package
 * @property {string} native digest of our sources
 */

/**
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {string}
 */
export function wantedGpu(env = process.env) {
  const fallback = process.platform === 'darwin' && process.arch === 'arm64' ? 'metal' : 'cpu';
  const gpu = env.PILOTLIGHT_GPU || fallback;
  if (!GPUS.includes(gpu)) {
    throw new SetupError(`PILOTLIGHT_GPU is "${gpu}": expected ${GPUS.join(', ')}.`);
  }
  return gpu;
}

/**
 * Reads everything that a build depends on from this machine and clone.
 * @returns {Promise<EngineInputs>}
 */
export async function engineInputs() {
  const gpu = wantedGpu();
  const [compiler, gpuCompiler, cmake, ninja, pin, native] = await Promise.all([
    compilerId(),
    gpu === 'cuda' ? read('nvcc', ['--version']) : null,
    read('cmake', ['--version']),
    which('ninja'),
    sourcePin(),
    hashTree(path.join(REPO, 'native'), ['CMakeLists.txt', 'package.json', 'src']),
  ]);
  const lock = await readJson(path.join(REPO, 'package-lock.json'));
  const packages = BUILD_PACKAGES.map(
    (name) => `${name}@${lock?.packages?.[`node_modules/${name}`]?.version}`,
  );
  if (compiler === null || cmake === null) {
    throw new SetupError(
      'A C++ compiler and CMake are needed to build the engine, and one of them does not run.',
      'Try: c++ --version; cmake --version',
    );
  }
  return {
    revision: BUILD_REVISION,
    platform: process.platform,
    arch: process.arch,
    gpu,
    gpuCompiler,
    cpu: await targetCpu(),
    compiler,
    cmake: cmake.split('\n')[0] ?? '',
    generator: process.platform === 'win32' ? '' : ninja ? 'Ninja' : 'Unix Makefiles',
    glibc: glibcVersion(),
    packages,
    source: pin.integrity,
    native,
  };
}

/**
 * The key of the finished engine.
 * @param {EngineInputs} inputs
 */
export function engineKey(inputs) {
  // ninja and make build the same thing.
  const { generator: _, ...rest } = inputs;
  return sha256(stableJson(rest)).slice(0, 32);
}

/**
 * The key of the build folder, which is kept while our own sources change. CMake ties it to the clone's path.
 * @param {EngineInputs} inputs
 * @param {string} [repo]
 */
export function buildFolderKey(inputs, repo = REPO) {
  const { native: _, ...rest } = inputs;
  return sha256(stableJson({ ...rest, repo })).slice(0, 16);
}

/**
 * JSON with sorted keys.
 * @param {unknown} value
 * @returns {string}
 */
function stableJson(value) {
  return JSON.stringify(value, (_, item) =>
    item && typeof item === 'object' && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}
