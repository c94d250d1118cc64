import { describe, expect, it } from 'vitest';
import { fromHalf } from './gguf-reader.js';
import { RandomSource } from './random-source.js';
import { Matrix, randomMatrix, randomQuantTensor, toHalf } from './tensor.js';

function deviation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}

describe('toHalf', () => {
  it.each([
    [0, 0x0000],
    [-0, 0x8000],
    [1, 0x3c00],
    [-2, 0xc000],
    [65504, 0x7bff],
    [65520, 0x7c00],
    [1e9, 0x7c00],
    [2 ** -14, 0x0400],
    [2 ** -24, 0x0001],
    [2 ** -25, 0x0000],
    [1.5 * 2 ** -25, 0x0001],
    [1 + 2 ** -11, 0x3c00],
    [1 + 3 * 2 ** -11, 0x3c02],
    [1023.75 * 2 ** -24, 0x0400],
    [Number.NEGATIVE_INFINITY, 0xfc00],
  ])('%f becomes %i', (value, bits) => {
    expect(toHalf(value)).toBe(bits);
  });

  it('keeps every finite half as it is', () => {
    for (let bits = 0; bits < 0x10000; bits++) {
      if ((bits & 0x7c00) !== 0x7c00) expect(toHalf(fromHalf(bits))).toBe(bits);
    }
  });
});

describe('random tensors', () => {
  it('have the deviation that was asked for', () => {
    const { values } = randomMatrix(new RandomSource('a'), 64, 64, 0.25);
    expect(deviation([...values])).toBeCloseTo(0.25, 2);
  });

  it('have it in Q8_0 too, and zero rows where asked', () => {
    const tensor = randomQuantTensor('w', new RandomSource('b'), 'q8_0', {
      rows: 64,
      columns: 64,
      deviation: 0.25,
      zeroRows: [1],
    });
    const view = new DataView(tensor.data.buffer);
    const rows = Array.from({ length: 64 }, (_, row) =>
      Array.from({ length: 64 }, (_, column) => {
        const block = (row * 2 + Math.floor(column / 32)) * 34;
        return fromHalf(view.getUint16(block, true)) * view.getInt8(block + 2 + (column % 32));
      }),
    );
    expect(rows[1]?.every((value) => value === 0)).toBe(true);
    expect(deviation(rows.filter((_, row) => row !== 1).flat())).toBeCloseTo(0.25, 2);
  });

  it('have it in Q2_K too, around a mean of zero', () => {
    const tensor = randomQuantTensor('w', new RandomSource('c'), 'q2_k', {
      rows: 8,
      columns: 256,
      deviation: 0.25,
      zeroRows: [],
    });
    const view = new DataView(tensor.data.buffer);
    const values = Array.from({ length: 8 * 256 }, (_, i) => {
      const block = Math.floor(i / 256) * 84;
      const pair = view.getUint8(block + 16 + Math.floor((i % 256) / 4));
      const scale = view.getUint8(block) & 15;
      const minimum = view.getUint8(block) >>> 4;
      const q = (pair >>> (2 * (i % 4))) & 3;
      return (
        fromHalf(view.getUint16(block + 80, true)) * scale * q -
        fromHalf(view.getUint16(block + 82, true)) * minimum
      );
    });
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(Math.abs(mean)).toBeLessThan(0.02);
    expect(deviation(values)).toBeCloseTo(0.25, 1);
  });
});

describe('Matrix', () => {
  it('refuses cells that it does not have', () => {
    expect(() => new Matrix(2, 3).add(0, 3, 1)).toThrow('no cell 0, 3 in a 2 x 3 matrix');
  });
});
