// Configures and builds the engine in a kept folder, so that an edit of our own sources rebuilds in seconds.
import fs from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import path from 'node:path';
import { exists, hashTree, readJson, sha256, writeJson } from './cache.mjs';
import { compilableSets } from './cpu.mjs';
import { buildFolderKey } from './engine-key.mjs';
import { ensureSource } from './engine-source.mjs';
import { checkToolkits, nvcc } from './gpu-toolkit.mjs';
import { cacheDir, REPO } from './paths.mjs';
import { CommandError, logPath, run, SetupError } from './process.mjs';
import { parseBuildLine } from './progress.mjs';

/** @typedef {import('./engine-key.mjs').EngineInputs} EngineInputs */
/** @typedef {import('./progress.mjs').StepLine} StepLine */

/** The biggest translation units of llama.cpp take about this much while they compile. */
const MEMORY_PER_JOB = 1.5 * 2 ** 30;
/** A kill may leave outputs of this last stretch cut short; writing one takes far less. */
const SUSPECT_MS = 10_000;
/** Build folders kept for one cache; each is some 300 MB. */
const N_BUILD_FOLDERS_KEPT = 6;

/** @param {EngineInputs} inputs */
export function buildFolder(inputs) {
  return path.join(cacheDir(), 'build', buildFolderKey(inputs));
}

/**
 * Builds one target.
 * @param {EngineInputs} inputs
 * @param {'engine' | 'engine_tests'} target
 * @param {StepLine} line
 * @returns {Promise<string>} the build folder
 * @throws {SetupError} with the compiler's last lines
 */
export async function buildTarget(inputs, target, line) {
  const folder = buildFolder(inputs);
  await fs.mkdir(folder, { recursive: true });
  const marker = path.join(folder, '.building');
  if (await exists(marker)) await dropSuspects(folder, marker);
  await fs.writeFile(marker, `${process.pid}\n`);
  const env = buildEnvironment();
  try {
    await configure(inputs, folder, line, env);
    line.phase(target === 'engine' ? 'compiling the engine' : 'compiling the C++ tests');
    const args = ['--build', folder, '--config', 'Release', '--target', target];
    await run('cmake', [...args, '--parallel', String(jobCount())], {
      env,
      log: `${target}.log`,
      onLine: (text) => {
        const progress = parseBuildLine(text);
        if (progress) line.percent(progress.percent, progress.detail);
      },
    });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new SetupError(
      `The engine did not build: ${error.message}\n${compilerErrors(error.output)}`,
      `The whole output is in ${logPath(`${target}.log`)} (configuring: ${logPath('configure.log')}). If it ran out of memory or disk, make room and start again: what is built stays.`,
    );
  } finally {
    await fs.rm(marker, { force: true });
  }
  await dropOldFolders(folder);
  return folder;
}

/** The addon, and in the layout "modules" the libraries and modules beside it. */
export const ENGINE_FILE = /^(engine\.node|(lib)?ggml.*\.(so|dylib|dll))$/;

/**
 * What a build of target "engine" leaves.
 * @param {string} folder
 * @returns {Promise<string[]>} absolute; the addon is first
 */
export async function builtFiles(folder) {
  const release = path.join(folder, 'Release');
  const names = (await fs.readdir(release)).filter((name) => ENGINE_FILE.test(name)).sort();
  return names.map((name) => path.join(release, name));
}

/**
 * @param {EngineInputs} inputs
 * @param {string} folder
 * @param {StepLine} line
 * @param {NodeJS.ProcessEnv} env
 */
async function configure(inputs, folder, line, env) {
  await checkToolkits(inputs.gpu);
  const source = await ensureSource(line);
  const args = await configureArguments(inputs, folder, source);
  const lists = await hashTree(path.join(REPO, 'native'), ['CMakeLists.txt', 'cmake']);
  const wanted = sha256(JSON.stringify(args) + lists);
  const stampFile = path.join(folder, 'pilotlight-configured.json');
  const stamp = await readJson(stampFile);
  if (stamp?.inputs === wanted && (await exists(path.join(folder, 'CMakeCache.txt')))) return;
  line.phase('configuring');
  await run(
    process.execPath,
    [path.join(REPO, 'node_modules', 'cmake-js', 'bin', 'cmake-js'), ...args],
    {
      cwd: REPO,
      env,
      log: 'configure.log',
    },
  );
  await writeJson(stampFile, { inputs: wanted, for: inputs });
}

/**
 * @param {EngineInputs} inputs
 * @param {string} folder
 * @param {string} source
 */
async function configureArguments(inputs, folder, source) {
  const compiler = process.env.CXX ?? 'c++';
  const sets = await compilableSets(inputs.cpu.sets, compiler);
  const options = Object.entries(sets).map(([set, value]) => `--CDGGML_${set}=${value}`);
  // CMake's lists are separated by semicolons.
  const list = (/** @type {string} */ names) => names.replaceAll(',', ';');
  const cuda = inputs.gpu.includes('cuda') ? await nvcc() : null;
  if (cuda) options.push(`--CDCMAKE_CUDA_COMPILER=${cuda}`, ...cudaOptions());
  if (inputs.cpu.armArch) options.push(`--CDGGML_CPU_ARM_ARCH=${inputs.cpu.armArch}`);
  const generator = inputs.generator ? ['-G', inputs.generator] : [];
  return [
    'configure',
    ...['-d', path.join(REPO, 'native'), '-O', folder, '-B', 'Release', ...generator],
    `--CDPILOTLIGHT_LLAMA_DIR=${source}`,
    `--CDPILOTLIGHT_GPU=${list(inputs.gpu)}`,
    `--CDPILOTLIGHT_LAYOUT=${inputs.layout}`,
    `--CDPILOTLIGHT_CPU_VARIANTS=${list(inputs.cpu.variants)}`,
    ...options,
  ];
}

/**
 * NCCL and peer memory serve several GPUs in one machine and would have to be installed; the driver library is not on a
 * machine that only builds.
 */
function cudaOptions() {
  const architectures = process.env.PILOTLIGHT_CUDA_ARCHITECTURES;
  return [
    '--CDGGML_CUDA_NCCL=OFF',
    '--CDGGML_CUDA_NO_VMM=ON',
    ...(architectures ? [`--CDCMAKE_CUDA_ARCHITECTURES=${architectures}`] : []),
  ];
}

/** @returns {NodeJS.ProcessEnv} */
function buildEnvironment() {
  // The compiler's language is part of ccache's key, and its messages are read here.
  const { LANG: _lang, LC_CTYPE: _type, LC_MESSAGES: _messages, ...env } = process.env;
  return {
    ...env,
    LC_ALL: 'C',
    // Objects are found again from another clone and after the cache has moved: paths below it are made relative.
    CCACHE_BASEDIR: cacheDir(),
    CCACHE_NOHASHDIR: '1',
    CCACHE_DIR: process.env.CCACHE_DIR ?? path.join(cacheDir(), 'ccache'),
    CCACHE_MAXSIZE: process.env.CCACHE_MAXSIZE ?? '2G',
  };
}

function jobCount() {
  const fits = Math.floor(totalmem() / MEMORY_PER_JOB);
  return Math.max(1, Math.min(availableParallelism(), fits));
}

/**
 * After a killed build: ninja notices outputs that were cut short, make does not, and neither does a linker that is
 * given one. What was written in the last seconds before the kill is made again.
 * @param {string} folder
 * @param {string} marker
 */
async function dropSuspects(folder, marker) {
  const began = (await fs.stat(marker)).mtimeMs;
  const entries = await fs.readdir(folder, { recursive: true, withFileTypes: true });
  const outputs = await Promise.all(
    entries
      .filter((entry) => entry.isFile() && /\.(o|obj|a|lib|node|so|dylib|dll)$/.test(entry.name))
      .map(async (entry) => {
        const file = path.join(entry.parentPath, entry.name);
        return { file, mtimeMs: (await fs.stat(file)).mtimeMs };
      }),
  );
  const fresh = outputs.filter((output) => output.mtimeMs >= began);
  const newest = Math.max(...fresh.map((output) => output.mtimeMs));
  for (const output of fresh) {
    if (output.mtimeMs >= newest - SUSPECT_MS) await fs.rm(output.file, { force: true });
  }
}

/**
 * The lines that matter, where there are any.
 * @param {string} output
 */
function compilerErrors(output) {
  const lines = output.split('\n');
  const first = lines.findIndex((text) => /\b(error|fatal error|CMake Error)\b/i.test(text));
  return lines.slice(first < 0 ? 0 : Math.max(0, first - 1)).join('\n');
}

/**
 * Build folders for inputs that are no longer used grow the cache; the oldest go.
 * @param {string} current
 */
async function dropOldFolders(current) {
  const parent = path.dirname(current);
  const now = new Date();
  await fs.utimes(current, now, now);
  /** @type {{ folder: string, mtimeMs: number }[]} */
  const folders = [];
  for (const name of await fs.readdir(parent)) {
    // Only folders that we made; a developer's own are left alone.
    const folder = path.join(parent, name);
    if (!(await exists(path.join(folder, 'pilotlight-configured.json')))) continue;
    folders.push({ folder, mtimeMs: (await fs.stat(folder)).mtimeMs });
  }
  folders.sort((a, b) => b.mtimeMs - a.mtimeMs);
  for (const { folder } of folders.slice(N_BUILD_FOLDERS_KEPT)) {
    if (await exists(path.join(folder, '.building'))) continue;
    await fs.rm(folder, { recursive: true, force: true });
  }
}
