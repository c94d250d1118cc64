/**
 * The header of a GGUF file: enough to show a model and to see that its file is whole, without loading it. Files come
 * from strangers: every count and length is bounded, and whatever the bytes are, the answer is a value, not an exception.
 * Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
 */
import { open } from 'node:fs/promises';
import { BadValue, ByteReader, EndOfFile } from './byte-reader.js';

export interface GgufHeader {
  /** general.architecture, such as "llama"; '' where the file does not say. */
  architecture: string;
  /** general.name; '' where the file does not say. */
  name: string;
  /** general.type, such as "model", "adapter", "mmproj"; '' where the file does not say. */
  type: string;
  /** `<architecture>.pooling_type`, llama.cpp's number; null where the file does not say. */
  poolingType: number | null;
  /** `<architecture>.attention.causal`; true where the file does not say. */
  causal: boolean;
  tensors: number;
  /** Files that the model is split over; 1: not split. */
  splitCount: number;
  /** Length of the whole file by its own tensor table, in bytes, with the padding after the last tensor. */
  expectedBytes: number;
  /** The same without that padding, which some writers leave out. */
  neededBytes: number;
}

export type GgufProblem =
  | { problem: 'empty' }
  /** `looksLike`: what its first bytes tell it is instead. */
  | { problem: 'not_gguf'; looksLike: 'lfs_pointer' | 'web_page' | null }
  | { problem: 'version'; version: number }
  | { problem: 'big_endian' }
  /** Ends within its header, so that its full length is unknown. */
  | { problem: 'header_cut_off' }
  /** `detail`: what its header speaks of, such as "2000000000 tensors". */
  | { problem: 'damaged'; detail: string }
  /** `code`: the system's, such as "EACCES". */
  | { problem: 'unreadable'; code: string };

// Generous multiples of what real models have (some thousand tensors, a hundred keys, templates of 100 KB).
const MAX_KEYS = 65_536;
const MAX_TENSORS = 1_000_000;
const MAX_ELEMENTS = 64_000_000;
const MAX_NAME_BYTES = 65_535;
const MAX_DIMENSIONS = 4;
const DEFAULT_ALIGNMENT = 32;

const UINT8 = 0;
const UINT16 = 2;
const UINT32 = 4;
const STRING = 8;
const ARRAY = 9;
const UINT64 = 10;
const BOOL = 7;
const UNSIGNED = new Set([UINT8, UINT16, UINT32, UINT64, BOOL]);

const WANTED = new Set([
  'general.architecture',
  'general.name',
  'general.type',
  'general.alignment',
  'split.count',
]);

/** The same for keys that begin with the architecture. */
const WANTED_OF_ARCHITECTURE = /^[^.]+\.(pooling_type|attention\.causal)$/;

const isWanted = (key: string) => WANTED.has(key) || WANTED_OF_ARCHITECTURE.test(key);

/** Bytes of the metadata value types of fixed size, by type number. */
const VALUE_BYTES: Record<number, number> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
};

/** Tensor type number → elements in a block, bytes of a block. */
const TENSOR_BLOCK: Record<number, readonly [elements: number, bytes: number]> = {
  0: [1, 4], // F32
  1: [1, 2], // F16
  2: [32, 18], // Q4_0
  3: [32, 20], // Q4_1
  6: [32, 22], // Q5_0
  7: [32, 24], // Q5_1
  8: [32, 34], // Q8_0
  9: [32, 36], // Q8_1
  10: [256, 84], // Q2_K
  11: [256, 110], // Q3_K
  12: [256, 144], // Q4_K
  13: [256, 176], // Q5_K
  14: [256, 210], // Q6_K
  15: [256, 292], // Q8_K
  16: [256, 66], // IQ2_XXS
  17: [256, 74], // IQ2_XS
  18: [256, 98], // IQ3_XXS
  19: [256, 50], // IQ1_S
  20: [32, 18], // IQ4_NL
  21: [256, 110], // IQ3_S
  22: [256, 82], // IQ2_S
  23: [256, 136], // IQ4_XS
  24: [1, 1], // I8
  25: [1, 2], // I16
  26: [1, 4], // I32
  27: [1, 8], // I64
  28: [1, 8], // F64
  29: [256, 56], // IQ1_M
  30: [1, 2], // BF16
  34: [256, 54], // TQ1_0
  35: [256, 66], // TQ2_0
  39: [32, 17], // MXFP4
  40: [64, 36], // NVFP4
  41: [128, 18], // Q1_0
  42: [64, 18], // Q2_0
};

/** Reads the header of the file at `path`. Never throws. */
export async function readGguf(path: string): Promise<GgufHeader | GgufProblem> {
  try {
    const file = await open(path, 'r');
    try {
      return await readHeader(new ByteReader(file, (await file.stat()).size));
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof EndOfFile) return { problem: 'header_cut_off' };
    if (error instanceof BadValue) return { problem: 'damaged', detail: error.message };
    return { problem: 'unreadable', code: (error as NodeJS.ErrnoException).code ?? String(error) };
  }
}

async function readHeader(reader: ByteReader): Promise<GgufHeader | GgufProblem> {
  if (reader.size === 0) return { problem: 'empty' };
  const magic = await readMagic(reader);
  if (magic !== null) return magic;
  const version = await reader.u32();
  if (version !== 0 && (version & 0xffff) === 0) return { problem: 'big_endian' };
  if (version !== 2 && version !== 3) return { problem: 'version', version };
  const tensors = await bounded(reader, MAX_TENSORS, 'tensors');
  const keys = await bounded(reader, MAX_KEYS, 'keys');
  const metadata = await readMetadata(reader, keys);
  const alignment = Number(metadata.get('general.alignment') ?? DEFAULT_ALIGNMENT);
  if (alignment < 1 || !Number.isInteger(Math.log2(alignment))) {
    throw new BadValue(`an alignment of ${alignment}`);
  }
  const { padded, bare } = await readTensorTable(reader, tensors, alignment);
  const dataStart = align(reader.offset, alignment);
  const text = (key: string) => String(metadata.get(key) ?? '');
  const architecture = text('general.architecture');
  const pooling = metadata.get(`${architecture}.pooling_type`);
  return {
    architecture,
    poolingType: typeof pooling === 'number' ? pooling : null,
    causal: metadata.get(`${architecture}.attention.causal`) !== 0,
    name: text('general.name'),
    type: text('general.type'),
    tensors,
    splitCount: Math.max(1, Number(metadata.get('split.count') ?? 1)),
    expectedBytes: tensors === 0 ? reader.offset : dataStart + padded,
    neededBytes: tensors === 0 ? reader.offset : dataStart + bare,
  };
}

async function readMagic(reader: ByteReader): Promise<GgufProblem | null> {
  const start: number[] = [];
  for (let i = 0; i < Math.min(24, reader.size); i++) start.push(await reader.u8());
  const head = Buffer.from(start).toString('latin1');
  if (head.startsWith('GGUF')) {
    reader.offset = 4;
    return null;
  }
  // A file cut off within its first bytes is no GGUF for anyone who looks at it.
  if (head.startsWith('version https://git-lfs')) {
    return { problem: 'not_gguf', looksLike: 'lfs_pointer' };
  }
  const webPage = /^\s*<(!doctype|html)/i.test(head);
  return { problem: 'not_gguf', looksLike: webPage ? 'web_page' : null };
}

async function bounded(reader: ByteReader, limit: number, what: string): Promise<number> {
  const count = await reader.u64();
  if (count > limit) throw new BadValue(`${count} ${what}`);
  return count;
}

/** The values that are wanted, all of them texts or numbers. All else is passed over. */
async function readMetadata(
  reader: ByteReader,
  keys: number,
): Promise<Map<string, string | number>> {
  const values = new Map<string, string | number>();
  for (let i = 0; i < keys; i++) {
    const key = await reader.text(MAX_NAME_BYTES);
    const type = await reader.u32();
    if (type === ARRAY) {
      const elementType = await reader.u32();
      const count = await bounded(reader, MAX_ELEMENTS, 'elements');
      await skipElements(reader, elementType, count);
    } else if (isWanted(key) && type === STRING) {
      values.set(key, await reader.text(MAX_NAME_BYTES));
    } else if (isWanted(key) && UNSIGNED.has(type)) {
      values.set(key, await readUnsigned(reader, type));
    } else {
      await skipElements(reader, type, 1);
    }
  }
  return values;
}

async function readUnsigned(reader: ByteReader, type: number): Promise<number> {
  switch (type) {
    case UINT8:
    case BOOL:
      return reader.u8();
    case UINT16:
      return reader.u16();
    case UINT32:
      return reader.u32();
    default: {
      // Any 64-bit value is legal here: it is a number of the model, not a length.
      const low = await reader.u32();
      return low + (await reader.u32()) * 2 ** 32;
    }
  }
}

async function skipElements(reader: ByteReader, type: number, count: number): Promise<void> {
  if (type === STRING) {
    await reader.skipTexts(count);
    return;
  }
  const bytes = VALUE_BYTES[type];
  if (bytes === undefined) throw new BadValue(`the value type ${type}`);
  reader.skip(bytes * count);
}

/** Where the tensor data end, counted from where they start, with and without the padding after the last tensor. */
async function readTensorTable(
  reader: ByteReader,
  tensors: number,
  alignment: number,
): Promise<{ padded: number; bare: number }> {
  let padded = 0;
  let bare = 0;
  for (let i = 0; i < tensors; i++) {
    await reader.text(MAX_NAME_BYTES);
    const dimensions = await reader.u32();
    if (dimensions > MAX_DIMENSIONS) throw new BadValue(`a tensor of ${dimensions} dimensions`);
    let elements = 1;
    for (let d = 0; d < dimensions; d++) elements *= await reader.u64();
    const type = await reader.u32();
    const offset = await reader.u64();
    // A type this reader does not know yet may be one that the engine knows: its tensor is left out of the sum.
    const [blockElements, blockBytes] = TENSOR_BLOCK[type] ?? [1, 0];
    const end = offset + (elements / blockElements) * blockBytes;
    if (!Number.isSafeInteger(Math.ceil(end)))
      throw new BadValue(`a tensor of ${elements} elements`);
    bare = Math.max(bare, end);
    padded = Math.max(padded, align(end, alignment));
  }
  return { padded, bare };
}

function align(value: number, alignment: number): number {
  return Math.ceil(value / alignment) * alignment;
}
