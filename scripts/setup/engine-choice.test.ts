import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { completeChoice, engineChoice, rememberChoice } from './engine-choice.mjs';

test('without a wish it is Metal on Apple silicon and the processor alone elsewhere, in one file', () => {
  expect(completeChoice({}, 'linux', 'x64')).toEqual({
    gpu: 'cpu',
    layout: 'static',
    cpu: 'native',
  });
  expect(completeChoice({}, 'darwin', 'arm64').gpu).toBe('metal');
  expect(completeChoice({}, 'darwin', 'x64').gpu).toBe('cpu');
});

test('backends that may take the process along become modules', () => {
  expect(completeChoice({ gpu: 'cuda' }).layout).toBe('modules');
  expect(completeChoice({ gpu: 'vulkan' }).layout).toBe('modules');
  expect(completeChoice({ gpu: 'vulkan', layout: 'static' }).layout).toBe('static');
});

test('several GPU backends are the same choice in any order', () => {
  expect(completeChoice({ gpu: 'vulkan,cuda' }).gpu).toBe('cuda,vulkan');
  expect(completeChoice({ gpu: 'cuda,cpu,vulkan,cuda' }).gpu).toBe('cuda,vulkan');
});

test('refuses what it does not know by name', () => {
  expect(() => completeChoice({ gpu: 'rocm' })).toThrow('The GPU backend is "rocm"');
  expect(() => completeChoice({ gpu: 'cuda,' })).toThrow('The GPU backend is ""');
  expect(() => completeChoice({ layout: 'shared' })).toThrow('The layout is "shared"');
});

test('the environment wins over the last choice, which wins over the machine', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'choice-'));
  const file = path.join(folder, 'choice.json');
  try {
    expect((await engineChoice({ PILOTLIGHT_GPU: 'vulkan' }, file)).gpu).toBe('vulkan');
    await rememberChoice({ gpu: 'cuda', layout: 'modules', cpu: 'all' }, file);
    expect(await engineChoice({}, file)).toEqual({ gpu: 'cuda', layout: 'modules', cpu: 'all' });
    expect(await engineChoice({ PILOTLIGHT_CPU: 'native' }, file)).toMatchObject({
      gpu: 'cuda',
      cpu: 'native',
    });
    await writeFile(file, 'damaged');
    expect(await engineChoice({ PILOTLIGHT_GPU: 'cpu' }, file)).toMatchObject({ gpu: 'cpu' });
  } finally {
    await rm(folder, { recursive: true });
  }
});
