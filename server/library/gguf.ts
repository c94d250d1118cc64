/**
 * The header of a GGUF file: enough to show a model and to see that its file is whole, without loading it. Files come
 * from strangers: every count and length is bounded, and whatever the bytes are, the answer is a value, not an exception.
 * Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
 */
import { open } from 'node:fs/promises';
import { BadValue, ByteReader, EndOfFile } from './byte-reader.js';
import { bounded, type GgufValue, MAX_NAME_BYTES, readValues } from './gguf-values.js';

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
  /** Weights of this file: the elements of all its tensors. */
  parameters: number;
  /** `<architecture>.context_length`: tokens that it was trained with; null where the file does not say. */
  trainedContextLength: number | null;
  /** `<architecture>.embedding_length`: values of a token's state; null where the file does not say. */
  embeddingLength: number | null;
  /** What its chat template speaks of; null: it has none. */
  template: TemplateWords | null;
  /** Of a vision projector: values of a state that it makes; null for other files, and where it does not say. */
  projectionLength: number | null;
  /** Of a projector: it takes images. */
  hasVision: boolean;
  /** general.license, such as "apache-2.0"; '' where the file does not say. */
  license: string;
  /** general.file_type, llama.cpp's number of the format that most weights have; null where the file does not say. */
  fileType: number | null;
  /** The format that most of its weights have, such as "Q4_K"; null where it has none that is known. */
  mainType: string | null;
  /** Files that the model is split over; 1: not split. */
  splitCount: number;
  /** Length of the whole file by its own tensor table, in bytes, with the padding after the last tensor. */
  expectedBytes: number;
  /** The same without that padding, which some writers leave out. */
  neededBytes: number;
}

/** A look at the words of a template; the engine, which applies it, has the last word. */
export interface TemplateWords {
  tools: boolean;
  reasoning: boolean;
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
const MAX_DIMENSIONS = 4;
const DEFAULT_ALIGNMENT = 32;

const WANTED = new Set([
  'general.architecture',
  'general.name',
  'general.type',
  'general.file_type',
  'general.license',
  'general.alignment',
  'split.count',
  'clip.has_vision_encoder',
  'clip.vision.projection_dim',
]);

/** The same for keys that begin with the architecture. */
const WANTED_OF_ARCHITECTURE =
  /^[^.]+\.(pooling_type|attention\.causal|context_length|embedding_length)$/;

/** The chat template, and further ones of a model that has several, such as "tokenizer.chat_template.tool_use". */
const TEMPLATE = /^tokenizer\.chat_template(\.|$)/;

const isWanted = (key: string) =>
  WANTED.has(key) || WANTED_OF_ARCHITECTURE.test(key) || TEMPLATE.test(key);

/** Tensor type number → elements in a block, bytes of a block, name. */
const TENSOR_TYPE: Record<number, readonly [elements: number, bytes: number, name: string]> = {
  0: [1, 4, 'F32'],
  1: [1, 2, 'F16'],
  2: [32, 18, 'Q4_0'],
  3: [32, 20, 'Q4_1'],
  6: [32, 22, 'Q5_0'],
  7: [32, 24, 'Q5_1'],
  8: [32, 34, 'Q8_0'],
  9: [32, 36, 'Q8_1'],
  10: [256, 84, 'Q2_K'],
  11: [256, 110, 'Q3_K'],
  12: [256, 144, 'Q4_K'],
  13: [256, 176, 'Q5_K'],
  14: [256, 210, 'Q6_K'],
  15: [256, 292, 'Q8_K'],
  16: [256, 66, 'IQ2_XXS'],
  17: [256, 74, 'IQ2_XS'],
  18: [256, 98, 'IQ3_XXS'],
  19: [256, 50, 'IQ1_S'],
  20: [32, 18, 'IQ4_NL'],
  21: [256, 110, 'IQ3_S'],
  22: [256, 82, 'IQ2_S'],
  23: [256, 136, 'IQ4_XS'],
  24: [1, 1, 'I8'],
  25: [1, 2, 'I16'],
  26: [1, 4, 'I32'],
  27: [1, 8, 'I64'],
  28: [1, 8, 'F64'],
  29: [256, 56, 'IQ1_M'],
  30: [1, 2, 'BF16'],
  34: [256, 54, 'TQ1_0'],
  35: [256, 66, 'TQ2_0'],
  39: [32, 17, 'MXFP4'],
  40: [64, 36, 'NVFP4'],
  41: [128, 18, 'Q1_0'],
  42: [64, 18, 'Q2_0'],
};

/** Reads the header of the file at `path`. Never throws. */
export function readGguf(path: string): Promise<GgufHeader | GgufProblem> {
  return withReader(path, readHeader);
}

/** Longest text of the metadata that is read: a chat template has some hundred kilobytes at most. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;

/** All metadata of the file at `path`, by key, in the file's order. Never throws. */
export function readGgufMetadata(
  path: string,
): Promise<ReadonlyMap<string, GgufValue> | GgufProblem> {
  return withReader(path, async (reader) => {
    const start = await readStart(reader);
    if ('problem' in start) return start;
    return readValues(reader, start.keys, {
      isWanted: () => true,
      textLimit: () => MAX_TEXT_BYTES,
    });
  });
}

async function withReader<T>(
  path: string,
  read: (reader: ByteReader) => Promise<T>,
): Promise<T | GgufProblem> {
  try {
    const file = await open(path, 'r');
    try {
      return await read(new ByteReader(file, (await file.stat()).size));
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof EndOfFile) return { problem: 'header_cut_off' };
    if (error instanceof BadValue) return { problem: 'damaged', detail: error.message };
    return { problem: 'unreadable', code: (error as NodeJS.ErrnoException).code ?? String(error) };
  }
}

/** What comes before the metadata: how many tensors and keys there are. */
async function readStart(
  reader: ByteReader,
): Promise<{ tensors: number; keys: number } | GgufProblem> {
  if (reader.size === 0) return { problem: 'empty' };
  const magic = await readMagic(reader);
  if (magic !== null) return magic;
  const version = await reader.u32();
  if (version !== 0 && (version & 0xffff) === 0) return { problem: 'big_endian' };
  if (version !== 2 && version !== 3) return { problem: 'version', version };
  const tensors = await bounded(reader, MAX_TENSORS, 'tensors');
  return { tensors, keys: await bounded(reader, MAX_KEYS, 'keys') };
}

async function readHeader(reader: ByteReader): Promise<GgufHeader | GgufProblem> {
  const start = await readStart(reader);
  if ('problem' in start) return start;
  const { tensors, keys } = start;
  const metadata = await readValues(reader, keys, {
    isWanted,
    textLimit: (key) => (TEMPLATE.test(key) ? MAX_TEXT_BYTES : MAX_NAME_BYTES),
  });
  const alignment = Number(metadata.get('general.alignment') ?? DEFAULT_ALIGNMENT);
  if (alignment < 1 || !Number.isInteger(Math.log2(alignment))) {
    throw new BadValue(`an alignment of ${alignment}`);
  }
  const { padded, bare, parameters, mainType } = await readTensorTable(reader, tensors, alignment);
  const dataStart = align(reader.offset, alignment);
  const text = (key: string) => {
    const value = metadata.get(key);
    return typeof value === 'string' ? value : '';
  };
  const architecture = text('general.architecture');
  const number = (key: string) => {
    const value = metadata.get(key);
    return typeof value === 'number' ? value : null;
  };
  return {
    architecture,
    poolingType: number(`${architecture}.pooling_type`),
    causal: Number(metadata.get(`${architecture}.attention.causal`) ?? 1) !== 0,
    name: text('general.name'),
    license: text('general.license'),
    trainedContextLength: number(`${architecture}.context_length`),
    embeddingLength: number(`${architecture}.embedding_length`),
    template: templateWords(metadata),
    projectionLength: number('clip.vision.projection_dim'),
    hasVision: metadata.get('clip.has_vision_encoder') === true,
    type: text('general.type'),
    tensors,
    parameters,
    fileType: number('general.file_type'),
    mainType,
    splitCount: Math.max(1, Number(metadata.get('split.count') ?? 1)),
    expectedBytes: tensors === 0 ? reader.offset : dataStart + padded,
    neededBytes: tensors === 0 ? reader.offset : dataStart + bare,
  };
}

/** Words by which templates take tools, and show what a model thought: a cheap look, which can be wrong. */
export function wordsOf(template: string): TemplateWords {
  return {
    tools: /\btools\b/.test(template),
    reasoning: /enable_thinking|reasoning_content|<think>/.test(template),
  };
}

function templateWords(metadata: ReadonlyMap<string, GgufValue>): TemplateWords | null {
  const templates = [...metadata].flatMap(([key, value]) =>
    TEMPLATE.test(key) && typeof value === 'string' ? [wordsOf(value)] : [],
  );
  if (templates.length === 0) return null;
  return {
    tools: templates.some(({ tools }) => tools),
    reasoning: templates.some(({ reasoning }) => reasoning),
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

/** The elements of all tensors, their most common format, and where their data end, counted from where they start, with and without padding. */
async function readTensorTable(
  reader: ByteReader,
  tensors: number,
  alignment: number,
): Promise<{ padded: number; bare: number; parameters: number; mainType: string | null }> {
  let padded = 0;
  let bare = 0;
  let parameters = 0;
  const byType = new Map<string, number>();
  for (let i = 0; i < tensors; i++) {
    await reader.text(MAX_NAME_BYTES);
    const dimensions = await reader.u32();
    if (dimensions > MAX_DIMENSIONS) throw new BadValue(`a tensor of ${dimensions} dimensions`);
    let elements = 1;
    for (let d = 0; d < dimensions; d++) elements *= await reader.u64();
    parameters += elements;
    const type = await reader.u32();
    const offset = await reader.u64();
    // A type this reader does not know yet may be one that the engine knows: its tensor is left out of the sum.
    const [blockElements, blockBytes, name] = TENSOR_TYPE[type] ?? [1, 0, null];
    if (name !== null) byType.set(name, (byType.get(name) ?? 0) + elements);
    const end = offset + (elements / blockElements) * blockBytes;
    if (!Number.isSafeInteger(Math.ceil(end)))
      throw new BadValue(`a tensor of ${elements} elements`);
    bare = Math.max(bare, end);
    padded = Math.max(padded, align(end, alignment));
  }
  const [main] = [...byType].sort(([, a], [, b]) => b - a);
  return { padded, bare, parameters, mainType: main?.[0] ?? null };
}

function align(value: number, alignment: number): number {
  return Math.ceil(value / alignment) * alignment;
}
