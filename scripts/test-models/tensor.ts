/**
 * Builds tensors in the formats that the test models use: F32 for norms and biases, the others for
 * matrices.
 */
import { byteLength, type GgufTensor } from './gguf-writer.js';
import type { RandomSource } from './random-source.js';

/** A row-major matrix that is filled by hand; values are rounded when it becomes a tensor. */
export class Matrix {
  readonly values: Float32Array;

  constructor(
    readonly rows: number,
    readonly columns: number,
  ) {
    this.values = new Float32Array(rows * columns);
  }

  /** Throws RangeError outside the matrix. */
  add(row: number, column: number, value: number): void {
    if (row < 0 || row >= this.rows || column < 0 || column >= this.columns) {
      throw new RangeError(`no cell ${row}, ${column} in a ${this.rows} x ${this.columns} matrix`);
    }
    const at = row * this.columns + column;
    this.values[at] = (this.values[at] ?? 0) + value;
  }
}

/** Independent uniform values with the given standard deviation. */
export function randomMatrix(
  random: RandomSource,
  rows: number,
  columns: number,
  deviation: number,
): Matrix {
  const matrix = new Matrix(rows, columns);
  for (let i = 0; i < matrix.values.length; i++) matrix.values[i] = random.spread(deviation);
  return matrix;
}

/** The matrix in half precision. */
export function matrixTensor(name: string, matrix: Matrix): GgufTensor {
  const data = new Uint8Array(matrix.values.length * 2);
  const view = new DataView(data.buffer);
  matrix.values.forEach((value, i) => {
    view.setUint16(i * 2, toHalf(value), true);
  });
  return { name, shape: [matrix.columns, matrix.rows], format: 'f16', data };
}

/** The matrix in full precision. */
export function floatMatrixTensor(name: string, matrix: Matrix): GgufTensor {
  const data = floatBytes(matrix.values);
  return { name, shape: [matrix.columns, matrix.rows], format: 'f32', data };
}

/** A vector of `length` times the same value, in F32. */
export function constantVector(name: string, length: number, value: number): GgufTensor {
  const data = floatBytes(new Float32Array(length).fill(value));
  return { name, shape: [length], format: 'f32', data };
}

function floatBytes(values: Float32Array): Uint8Array {
  const bytes = new Uint8Array(values.length * 4);
  const view = new DataView(bytes.buffer);
  values.forEach((value, i) => {
    view.setFloat32(i * 4, value, true);
  });
  return bytes;
}

/**
 * A random quantised matrix, written straight in its stored form: every block has the same scale
 * and independent random values. Rows named in `zeroRows` are all zero. Throws RangeError when
 * `columns` is not a multiple of the format's block (32 for Q8_0, 256 for Q2_K).
 */
export function randomQuantTensor(
  name: string,
  random: RandomSource,
  format: 'q8_0' | 'q2_k',
  matrix: { rows: number; columns: number; deviation: number; zeroRows: readonly number[] },
): GgufTensor {
  const { rows, columns, deviation } = matrix;
  const shape = [columns, rows];
  const data = new Uint8Array(byteLength(format, shape));
  random.fill(data);
  if (format === 'q8_0') setQ8Scales(data, deviation);
  else setQ2Scales(data, deviation);
  const rowBytes = data.length / rows;
  for (const row of matrix.zeroRows) data.fill(0, row * rowBytes, (row + 1) * rowBytes);
  return { name, shape, format, data };
}

/** A block is a half-precision scale and 32 signed bytes; uniform bytes deviate by 256 / √12. */
function setQ8Scales(data: Uint8Array, deviation: number): void {
  const view = new DataView(data.buffer);
  const scale = toHalf((deviation * Math.sqrt(12)) / 256);
  for (let block = 0; block < data.length; block += 34) view.setUint16(block, scale, true);
}

/**
 * A block is 16 bytes of sub-scales (low half: scale, high half: minimum), 64 bytes of two-bit
 * values, and the half-precision factors of the scales and of the minimums. A value q from 0 to 3
 * stands for factor · scale · q - minimumFactor · minimum; uniform q have mean 1.5 and deviate by
 * √1.25.
 */
function setQ2Scales(data: Uint8Array, deviation: number): void {
  const view = new DataView(data.buffer);
  const factor = deviation / (15 * Math.sqrt(1.25));
  for (let block = 0; block < data.length; block += 84) {
    data.fill(0xff, block, block + 16);
    view.setUint16(block + 80, toHalf(factor), true);
    view.setUint16(block + 82, toHalf(1.5 * factor), true);
  }
}

const floatWord = new Float32Array(1);
const floatBits = new Uint32Array(floatWord.buffer);

/**
 * The nearest half-precision number as its 16 bits; ties go to even, too large becomes infinity.
 */
export function toHalf(value: number): number {
  floatWord[0] = value;
  const bits = floatBits[0] ?? 0;
  const sign = (bits >>> 16) & 0x8000;
  const exponent = ((bits >>> 23) & 0xff) - 127;
  const fraction = bits & 0x7fffff;
  if (exponent === 128) return sign | 0x7c00 | (fraction ? 0x200 : 0);
  if (exponent > 15) return sign | 0x7c00;
  if (exponent < -25) return sign;
  // Subnormal halves keep fewer bits of the fraction, with the hidden leading one made visible.
  const subnormal = exponent < -14;
  const shift = subnormal ? -exponent - 1 : 13;
  const source = subnormal ? fraction | 0x800000 : ((exponent + 15) << 23) | fraction;
  const kept = source >>> shift;
  const rest = source & ((1 << shift) - 1);
  const tie = 1 << (shift - 1);
  const roundUp = rest > tie || (rest === tie && (kept & 1) === 1);
  // A carry out of the fraction correctly raises the exponent.
  return sign | (kept + (roundUp ? 1 : 0));
}
