import { expect, test } from 'vitest';
import { armArch, commonFlags, macFlags, targetCpu, x86Sets } from './cpu.mjs';

const BASE = 'fpu sse sse2 ssse3 fma cx16 sse4_1 sse4_2 movbe popcnt avx f16c bmi1 avx2 bmi2';
const ZEN4 = `${BASE} avx512f avx512dq avx512ifma avx512cd avx512bw avx512vl avx512_bf16 avx512vbmi avx512_vnni`;
const SAPPHIRE_RAPIDS = `${ZEN4} avx_vnni avx512_fp16 amx_bf16 amx_tile amx_int8`;

function cpuinfo(...flags: string[]): string {
  return flags
    .map(
      (list, i) => `processor\t: ${i}\nmodel name\t: Sample\nflags\t\t: ${list}\nbugs\t\t: none\n`,
    )
    .join('\n');
}

function setsThatAreOn(text: string): string[] {
  return Object.entries(x86Sets(commonFlags(text)))
    .filter(([, value]) => value === 'ON')
    .map(([set]) => set);
}

test('takes every set of a Sapphire Rapids, and neither AVX512-FP16 nor AVX-VNNI', () => {
  expect(setsThatAreOn(cpuinfo(SAPPHIRE_RAPIDS))).toEqual([
    'SSE42',
    'AVX',
    'AVX2',
    'FMA',
    'F16C',
    'BMI2',
    'AVX512',
    'AVX512_VBMI',
    'AVX512_VNNI',
    'AVX512_BF16',
    'AMX_TILE',
    'AMX_INT8',
  ]);
});

test('leaves AMX off where the processor has none', () => {
  expect(setsThatAreOn(cpuinfo(ZEN4))).toContain('AVX512_BF16');
  expect(setsThatAreOn(cpuinfo(ZEN4))).not.toContain('AMX_TILE');
});

test('needs all five parts of AVX512, and then none of what builds on it', () => {
  const knightsLanding = `${BASE} avx512f avx512cd avx512_vnni`;
  expect(setsThatAreOn(cpuinfo(knightsLanding))).toEqual([
    'SSE42',
    'AVX',
    'AVX2',
    'FMA',
    'F16C',
    'BMI2',
  ]);
});

test('takes only what every processor has', () => {
  expect(setsThatAreOn(cpuinfo(ZEN4, BASE))).not.toContain('AVX512');
});

test('gives each option a value, ON or OFF, also for an unreadable cpuinfo', () => {
  const sets = x86Sets(commonFlags(''));
  expect(Object.keys(sets)).toHaveLength(12);
  expect(new Set(Object.values(sets))).toEqual(new Set(['OFF']));
});

test('reads ARM features', () => {
  const neoverse = 'processor\t: 0\nFeatures\t: fp asimd asimdhp asimddp i8mm bf16\n';
  expect(armArch(commonFlags(neoverse))).toBe('armv8.2-a+dotprod+fp16+i8mm');
  expect(armArch(commonFlags('Features\t: fp asimd'))).toBe('armv8-a');
});

test('reads the names that macOS gives to features', () => {
  const flags = macFlags('FPU SSE4.2 AVX1.0 F16C FMA AVX2 BMI2\nAVX512F');
  expect([...flags]).toEqual(expect.arrayContaining(['sse4_2', 'avx', 'avx2', 'avx512f']));
});

test.runIf(process.arch === 'x64')('a level of x86-64 can be picked', async () => {
  const v3 = await targetCpu('x86-64-v3', 'static');
  expect(v3).toMatchObject({ name: 'x86-64-v3', sets: { AVX2: 'ON', BMI2: 'ON', AVX512: 'OFF' } });
  const v4 = await targetCpu('x86-64-v4', 'static');
  expect(v4.sets).toMatchObject({ AVX512: 'ON', AVX512_VNNI: 'OFF', AMX_TILE: 'OFF' });
});

test('modules can be built for several variants', async () => {
  const all = await targetCpu('all', 'modules');
  expect(all).toEqual({ name: 'all', sets: {}, armArch: '', variants: 'all' });
  expect((await targetCpu('x64,haswell', 'modules')).variants).toBe('x64,haswell');
  expect((await targetCpu('native', 'modules')).variants).toBe('');
});

test('refuses an unknown processor by name, and variants without modules', async () => {
  const told = 'The processor to build for is';
  await expect(targetCpu('fast', 'static')).rejects.toThrow(`${told} "fast"`);
  await expect(targetCpu('all', 'static')).rejects.toThrow(`${told} "all"`);
  await expect(targetCpu('x64;y', 'modules')).rejects.toThrow(`${told} "x64;y"`);
});
