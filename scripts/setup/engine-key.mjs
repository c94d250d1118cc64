// What an engine build depends on, as one key: two builds with the same key are interchangeable, and a cached one
// with any other key is never used.
import path from 'node:path';
import { hashTree, readJson, sha256 } from './cache.mjs';
import { targetCpu } from './cpu.mjs';
import { engineChoice } from './engine-choice.mjs';
import { sourcePin } from './engine-source.mjs';
import { nvcc } from './gpu-toolkit.mjs';
import { glibcVersion, REPO } from './paths.mjs';
import { read, SetupError, which } from './process.mjs';
import { compilerId } from './system-packages.mjs';

/** npm packages whose headers and settings go into the build. */
const BUILD_PACKAGES = ['cmake-js', 'node-addon-api', 'node-api-headers'];
/** Raise it when this script builds differently from equal inputs. */
const BUILD_REVISION = 1;

/**
 * @typedef {object} EngineInputs
 * @property {number} revision
 * @property {string} platform
 * @property {string} arch
 * @property {string} gpu see EngineChoice
 * @property {import('./engine-choice.mjs').Layout} layout
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
 * Reads everything that a build depends on from this machine and clone.
 * @param {import('./engine-choice.mjs').EngineChoice} [choice] default: the one in force
 * @returns {Promise<EngineInputs>}
 */
export async function engineInputs(choice) {
  const { gpu, layout, cpu } = choice ?? (await engineChoice());
  const [compiler, gpuCompiler, cmake, ninja, pin, native] = await Promise.all([
    compilerId(),
    gpu.includes('cuda') ? cudaVersion() : null,
    read('cmake', ['--version']),
    which('ninja'),
    sourcePin(),
    hashTree(path.join(REPO, 'native'), ['CMakeLists.txt', 'cmake', 'package.json', 'src']),
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
    layout,
    gpuCompiler,
    cpu: await targetCpu(cpu, layout),
    compiler,
    cmake: cmake.split('\n')[0] ?? '',
    generator: process.platform === 'win32' ? '' : ninja ? 'Ninja' : 'Unix Makefiles',
    glibc: glibcVersion(),
    packages,
    source: pin.integrity,
    native,
  };
}

async function cudaVersion() {
  const compiler = await nvcc();
  return compiler === null ? null : read(compiler, ['--version']);
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
