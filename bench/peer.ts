/**
 * llama-server and llama-batched-bench from the engine's pinned sources, with its compiler, instruction sets and
 * settings, in a folder of the cache. Built once for each such set of inputs.
 */
import { mkdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { exists, sha256, writeJson } from '../scripts/setup/cache.mjs';
import { compilableSets } from '../scripts/setup/cpu.mjs';
import { engineInputs } from '../scripts/setup/engine-key.mjs';
import { ensureSource, sourcePin } from '../scripts/setup/engine-source.mjs';
import { withLock } from '../scripts/setup/lock.mjs';
import { cacheDir, REPO } from '../scripts/setup/paths.mjs';
import { run } from '../scripts/setup/process.mjs';
import { parseBuildLine, StepLine } from '../scripts/setup/progress.mjs';

export interface Peer {
  server: string;
  batchedBench: string;
  /** What both are built from and how, in words. */
  build: string;
}

const LISTS = path.join(import.meta.dirname, 'peer', 'CMakeLists.txt');
const AMX_HEADER = path.join(REPO, 'native', 'src', 'amx_tile_config.h');

/**
 * @param isNeeded false: only says what it is, and builds nothing
 * @throws CommandError where the compiler fails; the whole output is in .pilotlight/logs/peer.log
 */
export async function ensurePeer(isNeeded = true): Promise<Peer> {
  const inputs = await engineInputs();
  const { platform, arch, cpu, compiler, cmake, source } = inputs;
  const key = sha256(
    JSON.stringify([
      { platform, arch, cpu, compiler, cmake, source },
      sha256(await readFile(LISTS)),
      sha256(await readFile(AMX_HEADER)),
    ]),
  ).slice(0, 16);
  const folder = path.join(benchDir(), `peer-${key}`);
  const sets = await compilableSets(cpu.sets, process.env.CXX ?? 'c++');
  const names = Object.keys(sets).filter((set) => sets[set] === 'ON');
  const peer: Peer = {
    server: path.join(folder, 'bin', 'llama-server'),
    batchedBench: path.join(folder, 'bin', 'llama-batched-bench'),
    build:
      `llama.cpp ${(await sourcePin()).release}, ${compiler.replace(/^c\+\+ /, '')}, Release, GGML_NATIVE=OFF, ` +
      `GGML_OPENMP=OFF, ${cpu.armArch || names.join(' ')}`,
  };
  const stamp = path.join(folder, 'peer.json');
  if (!isNeeded || (await exists(stamp))) return peer;
  await mkdir(folder, { recursive: true });
  await withLock(path.join(folder, 'build.lock'), async () => {
    if (!(await exists(stamp))) await build(folder, inputs, sets);
    await writeJson(stamp, { build: peer.build });
  });
  return peer;
}

async function build(
  folder: string,
  inputs: Awaited<ReturnType<typeof engineInputs>>,
  sets: Record<string, string>,
): Promise<void> {
  const { cpu } = inputs;
  const line = new StepLine(1, 1, 'llama-server and llama-batched-bench');
  line.start('building, once, some minutes');
  // One that an interrupted build of another clone left would be tied to that clone.
  await rm(path.join(folder, 'CMakeCache.txt'), { force: true });
  const env = { ...process.env, ...compilerCache() };
  const options = Object.entries(sets).map(([set, value]) => `-DGGML_${set}=${value}`);
  if (cpu.armArch) options.push(`-DGGML_CPU_ARM_ARCH=${cpu.armArch}`);
  const generator = inputs.generator ? ['-G', inputs.generator] : [];
  await run(
    'cmake',
    [
      ...['-S', path.dirname(LISTS), '-B', folder, ...generator, '-DCMAKE_BUILD_TYPE=Release'],
      `-DCMAKE_RUNTIME_OUTPUT_DIRECTORY=${path.join(folder, 'bin')}`,
      `-DPILOTLIGHT_LLAMA_DIR=${await ensureSource(line)}`,
      `-DPILOTLIGHT_NATIVE_DIR=${path.join(REPO, 'native')}`,
      ...options,
    ],
    { env, log: 'peer-configure.log' },
  );
  await run(
    'cmake',
    [
      ...['--build', folder, '--config', 'Release'],
      ...['--target', 'llama-server', 'llama-batched-bench', '--parallel', jobs()],
    ],
    {
      env,
      log: 'peer.log',
      onLine: (text: string) => {
        const progress = parseBuildLine(text);
        if (progress) line.percent(progress.percent, progress.detail);
      },
    },
  );
  line.done();
}

/** Where the bench keeps what it makes: models, peers. Outside the repository. */
export function benchDir(): string {
  return path.join(cacheDir(), 'bench');
}

/** The engine's own compiler cache, whose objects these are too. */
function compilerCache(): NodeJS.ProcessEnv {
  return {
    LC_ALL: 'C',
    CCACHE_BASEDIR: cacheDir(),
    CCACHE_NOHASHDIR: '1',
    CCACHE_DIR: process.env.CCACHE_DIR ?? path.join(cacheDir(), 'ccache'),
  };
}

/** PILOTLIGHT_BENCH_JOBS compilers at a time; else one for each core. */
function jobs(): string {
  return process.env.PILOTLIGHT_BENCH_JOBS ?? String(os.availableParallelism());
}
