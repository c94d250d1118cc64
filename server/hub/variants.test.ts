import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPlainPath, variantsOf } from './variants.js';

const file = (path: string, size_bytes = 10) => ({ path, size_bytes, sha256: null });
const shown = (...paths: (string | [string, number])[]) =>
  variantsOf(paths.map((path) => (typeof path === 'string' ? file(path) : file(...path)))).map(
    ({ name, quantization, files }) => [name, quantization, files.map(({ path }) => path)],
  );

describe('variants of a repo', () => {
  it('are its quantisations, the smallest first', () => {
    expect(shown(['m-Q8_0.gguf', 80], ['m-UD-Q4_K_XL.gguf', 42], ['m-Q4_K_M.gguf', 40])).toEqual([
      ['m-Q4_K_M', 'Q4_K_M', ['m-Q4_K_M.gguf']],
      ['m-UD-Q4_K_XL', 'UD-Q4_K_XL', ['m-UD-Q4_K_XL.gguf']],
      ['m-Q8_0', 'Q8_0', ['m-Q8_0.gguf']],
    ]);
  });

  it('have all parts of a split model, and are left out where one is missing', () => {
    const parts = (quant: string, ...numbers: number[]) =>
      numbers.map((n) => `${quant}/m-${quant}-0000${n}-of-00003.gguf`);
    expect(shown(...parts('BF16', 2, 3, 1), ...parts('Q8_0', 1, 3))).toEqual([
      ['m-BF16', 'BF16', parts('BF16', 1, 2, 3)],
    ]);
  });

  it('have the projector that belongs to them, f16 where there are several', () => {
    expect(
      shown('m-Q8_0.gguf', 'mmproj-m-f32.gguf', 'mmproj-m-f16.gguf', 'mmproj-m-Q8_0.gguf'),
    ).toEqual([['m-Q8_0', 'Q8_0', ['m-Q8_0.gguf', 'mmproj-m-f16.gguf']]]);
    const two = shown(
      'm-7b-Q4_K_M.gguf',
      'm-13b-Q4_K_M.gguf',
      'mmproj-m-7b-f16.gguf',
      'mmproj-m-13b-f32.gguf',
    );
    expect(two.map(([, , files]) => files)).toEqual([
      ['m-13b-Q4_K_M.gguf', 'mmproj-m-13b-f32.gguf'],
      ['m-7b-Q4_K_M.gguf', 'mmproj-m-7b-f16.gguf'],
    ]);
    // as bartowski and unsloth name them
    expect(shown('Q4_0/m-Q4_0.gguf', 'mmproj-BF16.gguf', 'mmproj-F16.gguf')).toEqual([
      ['m-Q4_0', 'Q4_0', ['Q4_0/m-Q4_0.gguf', 'mmproj-F16.gguf']],
    ]);
  });

  it('are models only', () => {
    expect(
      shown(
        'README.md',
        'imatrix.gguf',
        'm-imatrix.gguf',
        'm.imatrix',
        'ggml-vocab-llama.gguf',
        'm-lora-f16.gguf',
        'control-vector-happy.gguf',
        'mmproj.gguf',
        'm.GGUF',
      ),
    ).toEqual([['m', null, ['m.GGUF', 'mmproj.gguf']]]);
  });

  it('have names of their own, also where folders have files of the same name', () => {
    expect(shown('Q4_0/model.gguf', ['Q8_0/model.gguf', 20], ['other.gguf', 30])).toEqual([
      ['Q4_0/model', 'Q4_0', ['Q4_0/model.gguf']],
      ['Q8_0/model', 'Q8_0', ['Q8_0/model.gguf']],
      ['other', null, ['other.gguf']],
    ]);
  });

  it('count all of their bytes', () => {
    const [variant] = variantsOf([file('m.gguf', 7), file('mmproj-f16.gguf', 5)]);
    expect(variant?.size_bytes).toBe(12);
  });
});

describe('paths from strangers', () => {
  it('are names, one in the other', () => {
    for (const good of ['a.gguf', 'a/b c/d_1.gguf', 'ä/模型.gguf']) {
      expect(isPlainPath(good), good).toBe(true);
    }
    const bad = [
      ...['', '/a', 'a/', 'a//b', '../a', 'a/../b', './a', '.hidden/a', 'a\\b', 'c:/a', 'a\0b'],
      ...['a\nb', ' a', 'a/ b', 'a?.gguf', 'a'.repeat(201), 'a/'.repeat(300)],
    ];
    for (const path of bad) expect(isPlainPath(path), path).toBe(false);
  });

  it('never leave the folder that they are joined to', () => {
    const part = fc.oneof(fc.constantFrom('..', '.', '', 'a', '...', '~'), fc.string());
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
        const path = parts.join('/');
        const at = new URL(`file:///base/${path.split('/').map(encodeURIComponent).join('/')}`);
        return !isPlainPath(path) || at.pathname.startsWith('/base/');
      }),
    );
  });
});
