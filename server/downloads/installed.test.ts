import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LibraryModel } from '../library/model.js';
import { testModel } from '../library/test-model.js';
import { installedModel } from './installed.js';

const modelsDir = path.resolve('models');

const model = (file: string, fields: Partial<LibraryModel> = {}): LibraryModel => ({
  ...testModel(path.basename(file, '.gguf')),
  path: path.join(modelsDir, ...file.split('/')),
  ...fields,
});

const models = [
  model('ada/tiny/tiny-Q8_0.gguf', { quantization: 'Q8_0', created: 3 }),
  model('ada/tiny/tiny-Q4_K_M.gguf', { quantization: 'Q4_K_M', created: 1 }),
  model('ada/tiny/UD/tiny-UD-Q2_K_XL-00001-of-00002.gguf', { created: 2 }),
  model('ada/other/other-Q8_0.gguf', { quantization: 'Q8_0' }),
  model('ada/tiny/theirs-Q6_K.gguf', { source: 'lm_studio' }),
  model('tiny-Q5_K_M.gguf', { quantization: 'Q5_K_M' }),
];
const found = (repo: string, quantization?: string) =>
  installedModel({ modelsDir, models }, { repo, ...(quantization && { quantization }) })?.id ??
  null;

describe('a name of the hub', () => {
  it.each([
    ['ada/tiny', 'Q8_0', 'tiny-Q8_0'],
    ['Ada/Tiny', 'q4_k_m', 'tiny-Q4_K_M'],
    ['ada/tiny', 'UD-Q2_K_XL', 'tiny-UD-Q2_K_XL-00001-of-00002'],
    ['ada/tiny', undefined, 'tiny-Q4_K_M'],
    ['ada/other', undefined, 'other-Q8_0'],
    ['ada/tiny', 'Q6_K', null],
    ['ada/tiny', 'Q5_K_M', null],
    ['bob/tiny', undefined, null],
  ])('%s:%s', (repo, quantization, expected) => {
    expect(found(repo, quantization)).toBe(expected);
  });
});
