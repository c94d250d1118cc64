// Which instruction sets the engine's kernels are compiled for. ggml's own detection stays off: it also takes
// AVX512-FP16 and other sets that make its kernels slower, and a build must be nameable by its inputs.
import fs from 'node:fs/promises';
import { read, run, SetupError } from './process.mjs';

/** ggml's options for x86, with the flags of /proc/cpuinfo that each needs. */
const X86_SETS = /** @type {const} */ ({
  SSE42: ['sse4_2'],
  AVX: ['avx'],
  AVX2: ['avx2'],
  FMA: ['fma'],
  F16C: ['f16c'],
  BMI2: ['bmi2'],
  AVX512: ['avx512f', 'avx512cd', 'avx512vl', 'avx512dq', 'avx512bw'],
  AVX512_VBMI: ['avx512vbmi'],
  AVX512_VNNI: ['avx512_vnni'],
  AVX512_BF16: ['avx512_bf16'],
  AMX_TILE: ['amx_tile'],
  AMX_INT8: ['amx_int8'],
});

/** ggml compiles each of these only on top of another. @type {Readonly<Record<string, string>>} */
const NEEDS_SET = {
  AVX: 'SSE42',
  AVX2: 'AVX',
  FMA: 'AVX2',
  F16C: 'AVX2',
  BMI2: 'AVX2',
  AVX512: 'AVX2',
  AVX512_VBMI: 'AVX512',
  AVX512_VNNI: 'AVX512',
  AVX512_BF16: 'AVX512',
  AMX_TILE: 'AVX512',
  AMX_INT8: 'AMX_TILE',
};

/** The x86-64 levels of the psABI, as flags. */
const LEVEL_2 = ['sse4_2'];
const LEVEL_3 = [...LEVEL_2, 'avx', 'avx2', 'fma', 'f16c', 'bmi2'];
const LEVEL_4 = [...LEVEL_3, 'avx512f', 'avx512cd', 'avx512vl', 'avx512dq', 'avx512bw'];
/** @type {Readonly<Record<string, string[]>>} */
const LEVELS = { 'x86-64-v2': LEVEL_2, 'x86-64-v3': LEVEL_3, 'x86-64-v4': LEVEL_4 };

/**
 * @typedef {object} Target
 * @property {string} name for people
 * @property {Record<string, 'ON' | 'OFF'>} sets ggml options without their GGML_ prefix; each is given a value
 * @property {string} armArch -march for ARM, or '' for x86
 * @property {string} variants ggml's CPU modules to build: 'all', or names separated by commas; '' for one of these sets
 */

/**
 * @param {ReadonlySet<string>} flags as /proc/cpuinfo names them
 * @returns {Record<string, 'ON' | 'OFF'>}
 */
export function x86Sets(flags) {
  /** @type {Record<string, 'ON' | 'OFF'>} */
  const sets = {};
  for (const [set, needed] of Object.entries(X86_SETS)) {
    const below = NEEDS_SET[set];
    const isOn = needed.every((flag) => flags.has(flag)) && (!below || sets[below] === 'ON');
    sets[set] = isOn ? 'ON' : 'OFF';
  }
  // ggml's AMX kernels need both halves, and VNNI to finish the rows.
  if (sets.AMX_INT8 !== 'ON' || sets.AVX512_VNNI !== 'ON') sets.AMX_TILE = sets.AMX_INT8 = 'OFF';
  return sets;
}

/**
 * The flags that every processor in /proc/cpuinfo has: "flags" on x86, "Features" on ARM.
 * @param {string} cpuinfo
 * @returns {ReadonlySet<string>}
 */
export function commonFlags(cpuinfo) {
  const lists = [...cpuinfo.matchAll(/^(?:flags|Features)\s*:(.*)$/gm)].map(
    ([, list]) => new Set((list ?? '').trim().split(/\s+/)),
  );
  const [first, ...others] = lists;
  return new Set([...(first ?? [])].filter((flag) => others.every((list) => list.has(flag))));
}

/**
 * -march for an ARM processor.
 * @param {ReadonlySet<string>} features as /proc/cpuinfo names them
 */
export function armArch(features) {
  if (!features.has('asimddp')) return 'armv8-a';
  const half = features.has('asimdhp') ? '+fp16' : '';
  const matrix = features.has('i8mm') ? '+i8mm' : '';
  return `armv8.2-a+dotprod${half}${matrix}`;
}

/** "all", or ggml's names of CPU variants; none of them is also the name of a level. */
const VARIANTS = /^(all|[a-z0-9_.]+(,[a-z0-9_.]+)*)$/;

/**
 * The processor to build for: native (this machine's own), x86-64-v2, x86-64-v3, x86-64-v4; in the layout "modules" also
 * "all" or names of ggml's variants, such as "x64,haswell".
 * @param {string} wanted
 * @param {import('./engine-choice.mjs').Layout} layout
 * @returns {Promise<Target>}
 * @throws {SetupError} for any other value
 */
export async function targetCpu(wanted, layout) {
  const level = LEVELS[wanted];
  if (layout === 'modules' && wanted !== 'native' && !level && VARIANTS.test(wanted)) {
    return { name: wanted, sets: {}, armArch: '', variants: wanted };
  }
  if (wanted !== 'native' && (level === undefined || process.arch !== 'x64')) {
    const levels = process.arch === 'x64' ? `, ${Object.keys(LEVELS).join(', ')}` : '';
    throw new SetupError(
      `The processor to build for is "${wanted}": expected native${levels}; with the layout modules also all, or names of ggml's CPU variants.`,
    );
  }
  if (process.arch === 'x64') {
    const flags = level ? new Set(level) : await machineFlags();
    return { name: wanted, sets: x86Sets(flags), armArch: '', variants: '' };
  }
  const features = await machineFlags();
  const arch = process.arch === 'arm64' ? armArch(features) : '';
  return { name: wanted, sets: {}, armArch: arch, variants: '' };
}

/** @returns {Promise<ReadonlySet<string>>} */
async function machineFlags() {
  if (process.platform === 'linux') {
    return commonFlags(await fs.readFile('/proc/cpuinfo', 'utf8').catch(() => ''));
  }
  if (process.platform === 'darwin') {
    return process.arch === 'arm64' ? appleFeatures() : intelMacFlags();
  }
  // Windows tells a program nothing it could pass on without compiling a probe: what every processor of the last
  // ten years has.
  return new Set(LEVEL_3);
}

async function appleFeatures() {
  const i8mm = await read('sysctl', ['-n', 'hw.optional.arm.FEAT_I8MM']);
  // The first Apple silicon already had these two.
  return new Set(['asimddp', 'asimdhp', ...(i8mm === '1' ? ['i8mm'] : [])]);
}

async function intelMacFlags() {
  const names = await read('sysctl', ['-n', 'machdep.cpu.features', 'machdep.cpu.leaf7_features']);
  return macFlags(names ?? '');
}

/**
 * macOS's names of features, as /proc/cpuinfo would write them.
 * @param {string} names
 * @returns {ReadonlySet<string>}
 */
export function macFlags(names) {
  const flags = names
    .toLowerCase()
    .trim()
    .split(/\s+/)
    .map((name) =>
      name
        .replace('avx1.0', 'avx')
        .replace('sse4.2', 'sse4_2')
        .replace('avx512vnni', 'avx512_vnni'),
    );
  return new Set(flags);
}

/** Compiler flags by which support for a set is probed; sets that every supported compiler knows are not listed. */
const PROBE_FLAGS = /** @type {const} */ ({
  AVX512_VNNI: ['-mavx512vnni'],
  AVX512_VBMI: ['-mavx512vbmi'],
  AVX512_BF16: ['-mavx512bf16'],
  AMX_TILE: ['-mamx-tile'],
  AMX_INT8: ['-mamx-int8'],
});

/**
 * The same sets, without those that the compiler does not know (AMX needs GCC 11, BF16 GCC 10).
 * @param {Target['sets']} sets
 * @param {string} compiler
 * @returns {Promise<Target['sets']>}
 */
export async function compilableSets(sets, compiler) {
  const result = { ...sets };
  if (process.platform === 'win32') {
    // MSVC has no AMX, and takes FMA and F16C with AVX2; ggml has no such options there.
    for (const set of ['AMX_TILE', 'AMX_INT8', 'FMA', 'F16C']) delete result[set];
    return result;
  }
  for (const [set, flags] of Object.entries(PROBE_FLAGS)) {
    if (result[set] !== 'ON') continue;
    const isKnown = await run(compiler, [...flags, '-fsyntax-only', '-x', 'c++', '-'], {
      input: 'int main() {}\n',
    }).then(
      () => true,
      () => false,
    );
    if (!isKnown) result[set] = 'OFF';
  }
  if (result.AMX_TILE === 'OFF' || result.AMX_INT8 === 'OFF') {
    if ('AMX_TILE' in result) result.AMX_TILE = result.AMX_INT8 = 'OFF';
  }
  return result;
}
