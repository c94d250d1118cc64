import { expect, test } from 'vitest';
import { buildFolderKey, type EngineInputs, engineKey } from './engine-key.mjs';

const INPUTS: EngineInputs = {
  revision: 1,
  platform: 'linux',
  arch: 'x64',
  gpu: 'cpu',
  layout: 'static',
  gpuCompiler: null,
  cpu: { name: 'native', sets: { AVX2: 'ON', AVX512: 'OFF' }, armArch: '', variants: '' },
  compiler: 'c++ c++ (Debian 12.2.0-14) 12.2.0',
  cmake: 'cmake version 3.25.1',
  generator: 'Ninja',
  glibc: '2.36',
  packages: ['cmake-js@8.0.0'],
  source: 'sha512-aaaa',
  native: 'bbbb',
};

test('the same inputs give the same key, whatever the order they were written in', () => {
  const sets = { AVX512: 'OFF', AVX2: 'ON' } as const;
  expect(engineKey({ ...INPUTS, cpu: { armArch: '', sets, variants: '', name: 'native' } })).toBe(
    engineKey(INPUTS),
  );
});

test.each<[string, Partial<EngineInputs>]>([
  ['our sources', { native: 'cccc' }],
  ['the pinned llama.cpp', { source: 'sha512-bbbb' }],
  ['an instruction set', { cpu: { ...INPUTS.cpu, sets: { AVX2: 'ON', AVX512: 'ON' } } }],
  ['the GPU backend', { gpu: 'vulkan' }],
  ['the layout', { layout: 'modules' }],
  ['the CPU variants', { cpu: { ...INPUTS.cpu, variants: 'all' } }],
  ['the compiler', { compiler: 'c++ clang version 19' }],
  ['CMake', { cmake: 'cmake version 4.0.0' }],
  ['the C library', { glibc: '2.41' }],
  ['the processor type', { arch: 'arm64' }],
  ['a build package', { packages: ['cmake-js@8.0.1'] }],
  ['the build script', { revision: 2 }],
])('a change of %s makes another engine', (_, change) => {
  expect(engineKey({ ...INPUTS, ...change })).not.toBe(engineKey(INPUTS));
});

test('make and ninja build the same engine, in folders of their own', () => {
  const make = { ...INPUTS, generator: 'Unix Makefiles' };
  expect(engineKey(make)).toBe(engineKey(INPUTS));
  expect(buildFolderKey(make)).not.toBe(buildFolderKey(INPUTS));
});

test('the build folder stays while our sources change, and differs between clones', () => {
  expect(buildFolderKey({ ...INPUTS, native: 'cccc' })).toBe(buildFolderKey(INPUTS));
  expect(buildFolderKey(INPUTS, '/clone/a')).not.toBe(buildFolderKey(INPUTS, '/clone/b'));
});
