import { describe, expect, it } from 'vitest';
import { choose, type Variant } from './choice.js';

const GB = 1e9;
const variant = (name: string, size: number, quantization: string | null = null): Variant => ({
  ...{ name, quantization, files: [], size_bytes: size },
});
const all = [
  variant('m-Q8_0', 8 * GB, 'Q8_0'),
  variant('m-Q2_K', 2 * GB, 'Q2_K'),
  variant('m-Q4_K_M', 4 * GB, 'Q4_K_M'),
  variant('m-UD-Q4_K_XL', 5 * GB),
];
const chosen = (
  wanted: Parameters<typeof choose>[2],
  memory = 100 * GB,
  variants: Variant[] = all,
) => choose('o/n', variants, wanted, memory).name;

describe('without a wish', () => {
  it('is the usual one where it fits', () => {
    expect(chosen({})).toBe('m-Q4_K_M');
  });

  it('is the largest that fits where that does not', () => {
    expect(chosen({}, 4 * GB)).toBe('m-Q2_K');
  });

  it('is the largest that fits where there is no usual one', () => {
    const others = all.filter(({ name }) => name !== 'm-Q4_K_M');
    expect(chosen({}, 7 * GB, others)).toBe('m-UD-Q4_K_XL');
  });

  it('is the usual one, else the smallest, where none fits', () => {
    expect(chosen({}, 1)).toBe('m-Q4_K_M');
    expect(chosen({}, 1, all.slice(0, 2))).toBe('m-Q2_K');
  });
});

describe('a wish', () => {
  it('is a name, or a quantization in any case, also where only the name has it', () => {
    expect(chosen({ name: 'm-Q8_0' })).toBe('m-Q8_0');
    expect(chosen({ quantization: 'q8_0' })).toBe('m-Q8_0');
    expect(chosen({ quantization: 'UD-Q4_K_XL' })).toBe('m-UD-Q4_K_XL');
  });

  it('that there is none of is told with what there is', () => {
    expect(() => chosen({ name: 'x' })).toThrow(
      'o/n has no "x". There are: Q2_K, Q4_K_M, m-UD-Q4_K_XL, Q8_0.',
    );
    expect(() => chosen({ quantization: '4' })).toThrow('o/n has no "4".');
    expect(() => chosen({}, 1, [])).toThrow('o/n has no GGUF files on the hub.');
  });
});
