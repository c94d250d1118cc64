/**
 * Serialises a GGUF version 3 file in memory. It knows the container only: nothing about models.
 *
 * Layout: header, metadata, tensor infos, padding, tensor data; little endian throughout.
 * Specification: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
 */

/** Byte boundary on which the data section and every tensor in it start. */
export const GGUF_ALIGNMENT = 32;

const MAGIC = 'GGUF';
const VERSION = 3;

/** Type codes of metadata values, as the file stores them. */
const VALUE_TYPE = { u32: 4, i32: 5, f32: 6, bool: 7, string: 8, array: 9 } as const;

/** Type codes of tensor data (ggml_type) for the formats that the generator writes. */
const TENSOR_TYPE = { f32: 0, f16: 1, q8_0: 8, q2_k: 10 } as const;

export type TensorFormat = keyof typeof TENSOR_TYPE;

/** Values in one block of a format, and the bytes that a block takes. */
const BLOCK: Record<TensorFormat, { values: number; bytes: number }> = {
  f32: { values: 1, bytes: 4 },
  f16: { values: 1, bytes: 2 },
  q8_0: { values: 32, bytes: 34 },
  q2_k: { values: 256, bytes: 84 },
};

export type GgufValue =
  | { type: 'u32' | 'i32' | 'f32'; value: number }
  | { type: 'bool'; value: boolean }
  | { type: 'string'; value: string }
  | { type: 'strings'; value: readonly string[] }
  | { type: 'i32s' | 'f32s'; value: readonly number[] };

export interface GgufTensor {
  name: string;
  /** Values in one row first (ggml's ne[0]), then the number of rows; one entry for a vector. */
  shape: readonly number[];
  format: TensorFormat;
  /** Row after row, already in `format`. */
  data: Uint8Array;
}

export interface GgufFile {
  /** Written in insertion order; `general.architecture` belongs first. */
  metadata: ReadonlyMap<string, GgufValue>;
  tensors: readonly GgufTensor[];
}

/**
 * The whole file as bytes. Throws RangeError when a tensor's data does not fit its shape and
 * format.
 */
export function writeGguf(file: GgufFile): Uint8Array {
  const head = new ByteSink();
  head.raw(Buffer.from(MAGIC, 'latin1'));
  head.u32(VERSION);
  head.u64(file.tensors.length);
  head.u64(file.metadata.size);
  for (const [key, value] of file.metadata) writeEntry(head, key, value);

  let offset = 0;
  for (const tensor of file.tensors) {
    const expected = byteLength(tensor.format, tensor.shape);
    if (tensor.data.length !== expected) {
      throw new RangeError(
        `tensor ${tensor.name}: expected ${expected} bytes but received ${tensor.data.length}`,
      );
    }
    head.string(tensor.name);
    head.u32(tensor.shape.length);
    for (const n of tensor.shape) head.u64(n);
    head.u32(TENSOR_TYPE[tensor.format]);
    head.u64(offset);
    offset = aligned(offset + expected);
  }

  const dataStart = aligned(head.length);
  const bytes = new Uint8Array(dataStart + offset);
  head.copyTo(bytes);
  let at = dataStart;
  for (const tensor of file.tensors) {
    bytes.set(tensor.data, at);
    at = aligned(at + tensor.data.length);
  }
  return bytes;
}

/**
 * Bytes that a tensor takes. Throws RangeError when a row is not a whole number of the format's
 * blocks.
 */
export function byteLength(format: TensorFormat, shape: readonly number[]): number {
  const { values, bytes } = BLOCK[format];
  const [row = 0] = shape;
  if (row % values !== 0)
    throw new RangeError(`a ${format} row of ${row} is no multiple of ${values}`);
  return (shape.reduce((product, n) => product * n, 1) / values) * bytes;
}

function aligned(n: number): number {
  return Math.ceil(n / GGUF_ALIGNMENT) * GGUF_ALIGNMENT;
}

function writeEntry(out: ByteSink, key: string, entry: GgufValue): void {
  out.string(key);
  switch (entry.type) {
    case 'strings':
      out.u32(VALUE_TYPE.array);
      out.u32(VALUE_TYPE.string);
      out.u64(entry.value.length);
      for (const text of entry.value) out.string(text);
      return;
    case 'i32s':
      out.u32(VALUE_TYPE.array);
      out.u32(VALUE_TYPE.i32);
      out.u64(entry.value.length);
      for (const n of entry.value) out.i32(n);
      return;
    case 'f32s':
      out.u32(VALUE_TYPE.array);
      out.u32(VALUE_TYPE.f32);
      out.u64(entry.value.length);
      for (const n of entry.value) out.f32(n);
      return;
    case 'string':
      out.u32(VALUE_TYPE.string);
      out.string(entry.value);
      return;
    case 'bool':
      out.u32(VALUE_TYPE.bool);
      out.raw(Uint8Array.of(entry.value ? 1 : 0));
      return;
    case 'u32':
    case 'i32':
    case 'f32':
      out.u32(VALUE_TYPE[entry.type]);
      out[entry.type](entry.value);
  }
}

/** Appends values to a growing list of chunks. */
class ByteSink {
  length = 0;
  private readonly chunks: Uint8Array[] = [];

  raw(bytes: Uint8Array): void {
    this.chunks.push(bytes);
    this.length += bytes.length;
  }

  u32(value: number): void {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(value);
    this.raw(bytes);
  }

  i32(value: number): void {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32LE(value);
    this.raw(bytes);
  }

  f32(value: number): void {
    const bytes = Buffer.alloc(4);
    bytes.writeFloatLE(value);
    this.raw(bytes);
  }

  u64(value: number): void {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(BigInt(value));
    this.raw(bytes);
  }

  /** Length as u64, then UTF-8 without a terminator. */
  string(text: string): void {
    const bytes = Buffer.from(text, 'utf8');
    this.u64(bytes.length);
    this.raw(bytes);
  }

  copyTo(target: Uint8Array): void {
    let at = 0;
    for (const chunk of this.chunks) {
      target.set(chunk, at);
      at += chunk.length;
    }
  }
}
