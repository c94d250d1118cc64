/**
 * The models to measure with, made here so that nothing has to be fetched: random weights, whose kernels do the work of
 * trained ones. They write plain words only and never end by themselves, so that every request gets the tokens it asks
 * for from any server.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { exists, writeAtomic } from '../scripts/setup/cache.mjs';
import { BpeVocabulary } from '../scripts/test-models/bpe-vocab.js';
import { PLAIN_TEMPLATE } from '../scripts/test-models/chat-templates.js';
import { type GgufTensor, writeGguf } from '../scripts/test-models/gguf-writer.js';
import { type LlamaShape, llamaMetadata } from '../scripts/test-models/llama-file.js';
import { randomModel } from '../scripts/test-models/random-model.js';
import { RandomSource } from '../scripts/test-models/random-source.js';
import { constantVector, randomQuantTensor, toHalf } from '../scripts/test-models/tensor.js';
import { benchDir } from './peer.js';
import { chainWords } from './words.js';

/**
 * `smol`: SmolLM2-135M's shape in Q8_0. `edit`: the same, and after each word of words.ts's chain it says the next one,
 * whatever was before. `tiny`: next to no work for the kernels.
 */
export type ModelName = 'smol' | 'edit' | 'tiny';

/** The file of each. */
export type Models = Readonly<Record<ModelName, string>>;

/** huggingface.co/HuggingFaceTB/SmolLM2-135M, config.json. Its head is its embedding, which here would echo. */
const SMOL_SHAPE: LlamaShape = {
  layers: 30,
  width: 576,
  heads: 9,
  kvHeads: 3,
  headWidth: 64,
  feedForward: 1536,
  context: 8192,
  ropeBase: 100_000,
};
export const SMOL_VOCABULARY = 49_152;

const TINY_SHAPE: LlamaShape = {
  layers: 4,
  width: 64,
  heads: 8,
  kvHeads: 4,
  headWidth: 8,
  feedForward: 192,
  context: 8192,
  ropeBase: 10_000,
};

/** Bytes of a Q8_0 block: a half-precision scale, then 32 signed values. */
const BLOCK_BYTES = 34;
/** What the head adds to the logits of tokens that are not to be said. */
const SUPPRESSION = -80;
/** Standard deviation of the other logits. */
const LOGIT_DEVIATION = 3;

/**
 * The models, made now where this version of the generator has not made them before; those of other versions go, so only
 * one bench at a time may call it.
 */
export async function ensureModels(): Promise<Models> {
  const name = `models-${await sourceHash()}`;
  const folder = path.join(benchDir(), name);
  await mkdir(folder, { recursive: true });
  for (const other of await readdir(benchDir())) {
    if (!other.startsWith('models-') || other === name) continue;
    await rm(path.join(benchDir(), other), { recursive: true });
  }
  const makers: Record<ModelName, () => Uint8Array> = {
    smol: () => smolModel('smol', null),
    edit: () => smolModel('edit', chainWords()),
    tiny: () =>
      randomModel({
        ...{ seed: 'tiny', name: 'tiny', shape: TINY_SHAPE, format: 'q8_0' },
        template: PLAIN_TEMPLATE,
      }),
  };
  const fileOf = (model: ModelName) => path.join(folder, `${model}.gguf`);
  for (const [model, make] of Object.entries(makers)) {
    const file = fileOf(model as ModelName);
    if (!(await exists(file))) await writeAtomic(file, Buffer.from(make().buffer));
  }
  return { smol: fileOf('smol'), edit: fileOf('edit'), tiny: fileOf('tiny') };
}

/** As the models of scripts/test-models: dimension 0 of the stream is a constant by which the head rules tokens out. */
function smolModel(name: string, chain: readonly string[] | null): Uint8Array {
  const shape = SMOL_SHAPE;
  const random = new RandomSource(name);
  const words = madeUpWords(SMOL_VOCABULARY);
  const vocabulary = new BpeVocabulary(words);
  const rows = vocabulary.tokens.length;

  const embedding = quantized(random, 'token_embd.weight', rows, shape.width, 1);
  for (let id = 0; id < rows; id++) embedding.data[rowStart(id, shape.width) + 2] = 127;
  const deviation = LOGIT_DEVIATION / Math.sqrt(shape.width);
  const head = quantized(random, 'output.weight', rows, shape.width, deviation);
  const said = new Set((chain ?? words).map((word) => vocabulary.id(word)));
  for (let id = 0; id < rows; id++) {
    const row = rowOf(head, id, shape.width);
    if (said.has(id)) row[2] = 0;
    else ruleOut(row);
  }
  if (chain) linkChain(vocabulary, chain, embedding, head, shape.width);

  const tensors = [embedding, head, constantVector('output_norm.weight', shape.width, 1)];
  for (let layer = 0; layer < shape.layers; layer++) {
    tensors.push(...layerTensors(random, shape, layer));
  }
  const metadata = llamaMetadata({
    ...{ name, architecture: 'llama', shape, format: 'q8_0', vocabulary },
    template: PLAIN_TEMPLATE,
  });
  return writeGguf({ metadata, tensors });
}

/** Each word's row of the head becomes the embedding of the word before it; the first follows the end of a prompt. */
function linkChain(
  vocabulary: BpeVocabulary,
  chain: readonly string[],
  embedding: GgufTensor,
  head: GgufTensor,
  width: number,
): void {
  // The reading of one embedding by its own copy sums `width` squares: this makes it about 40 after the last norm.
  const scale = toHalf(((40 / width) * Math.sqrt(12)) / 256);
  chain.forEach((word, i) => {
    const before = vocabulary.id(i === 0 ? '\n' : (chain[i - 1] ?? ''));
    const row = rowOf(head, vocabulary.id(word), width);
    row.set(rowOf(embedding, before, width));
    row[2] = 0;
    const view = new DataView(row.buffer, row.byteOffset);
    for (let at = 0; at < row.length; at += BLOCK_BYTES) view.setUint16(at, scale, true);
  });
}

function layerTensors(random: RandomSource, shape: LlamaShape, layer: number): GgufTensor[] {
  const { width, feedForward } = shape;
  const prefix = `blk.${layer}`;
  const queries = shape.heads * shape.headWidth;
  const keys = shape.kvHeads * shape.headWidth;
  // All layers together add about as much to the stream as two would.
  const gain = Math.sqrt(2 / shape.layers);
  const project = (name: string, rows: number, columns: number) =>
    quantized(random, `${prefix}.${name}.weight`, rows, columns, 1 / Math.sqrt(columns));
  const write = (name: string, columns: number) =>
    randomQuantTensor(`${prefix}.${name}.weight`, random, 'q8_0', {
      ...{ rows: width, columns, deviation: gain / Math.sqrt(columns), zeroRows: [0] },
    });
  return [
    constantVector(`${prefix}.attn_norm.weight`, width, 1),
    project('attn_q', queries, width),
    project('attn_k', keys, width),
    project('attn_v', keys, width),
    write('attn_output', queries),
    constantVector(`${prefix}.ffn_norm.weight`, width, 1),
    project('ffn_gate', feedForward, width),
    project('ffn_up', feedForward, width),
    write('ffn_down', feedForward),
  ];
}

function quantized(
  random: RandomSource,
  name: string,
  rows: number,
  columns: number,
  deviation: number,
): GgufTensor {
  const matrix = { rows, columns, deviation, zeroRows: [] };
  return randomQuantTensor(name, random, 'q8_0', matrix);
}

const rowBytes = (width: number) => (width / 32) * BLOCK_BYTES;
const rowStart = (row: number, width: number) => row * rowBytes(width);
const rowOf = ({ data }: GgufTensor, row: number, width: number) =>
  data.subarray(rowStart(row, width), rowStart(row + 1, width));

/** Only the constant counts, and it counts against the token. */
function ruleOut(row: Uint8Array): void {
  row.fill(0);
  new DataView(row.buffer, row.byteOffset).setUint16(0, toHalf(-SUPPRESSION / 127), true);
  row[2] = 256 - 127;
}

/** As many words as bring the vocabulary to `size` tokens: a space and three syllables. */
function madeUpWords(size: number): string[] {
  const vocabulary = new BpeVocabulary();
  const taken = new Set(vocabulary.tokens);
  const syllables = [...'bdfgklmnprstvz'].flatMap((c) => [...'aeiou'].map((v) => c + v));
  const words: string[] = [];
  const random = new RandomSource('words');
  const pick = () => syllables[random.word() % syllables.length] ?? '';
  while (vocabulary.tokens.length + words.length < size) {
    const word = pick() + pick() + pick();
    if (taken.has(`Ġ${word}`)) continue;
    taken.add(`Ġ${word}`);
    words.push(` ${word}`);
  }
  return words;
}

/** Changes with anything that the models are made from. */
async function sourceHash(): Promise<string> {
  const generators = path.join(import.meta.dirname, '..', 'scripts', 'test-models');
  const files = (await readdir(generators)).filter((name) => /(?<!\.test)\.ts$/.test(name)).sort();
  const hash = createHash('sha256');
  for (const file of files.map((name) => path.join(generators, name)).concat(OWN_SOURCES)) {
    hash.update((await readFile(file, 'utf8')).replaceAll('\r\n', '\n'));
  }
  return hash.digest('hex').slice(0, 16);
}

const OWN_SOURCES = ['models.ts', 'words.ts'].map((name) => path.join(import.meta.dirname, name));
