/**
 * Chat models with random weights: noise in plain ASCII that goes on until something stops it.
 *
 * One dimension of the residual stream is a constant that no layer writes to. The output head reads
 * it to push down every token that is not plain text, so the end of a turn is practically never
 * sampled.
 */
import { BpeVocabulary } from './bpe-vocab.js';
import { type GgufTensor, writeGguf } from './gguf-writer.js';
import { type LlamaShape, llamaMetadata, plainTextIds } from './llama-file.js';
import { RandomSource } from './random-source.js';
import { constantVector, matrixTensor, randomMatrix, randomQuantTensor } from './tensor.js';

/** Index of the constant dimension, and its size beside embeddings of standard deviation 1. */
const CONSTANT = 0;
const CONSTANT_VALUE = 2;
/**
 * The constant reaches the head at 0.6 to 1.5 after the last norm, so this costs a token 50 in its
 * logit at least.
 */
const SUPPRESSION = -80;
/** Standard deviation of the logits: lively at temperature 1, yet far from uniform. */
const LOGIT_DEVIATION = 3;

export interface RandomModelOptions {
  /** Also the seed. */
  seed: string;
  name: string;
  architecture?: string;
  shape: LlamaShape;
  format: 'f16' | 'q8_0' | 'q2_k';
  template: string | undefined;
  /** What the file recommends (general.sampling.temp). */
  temperature?: number;
}

/**
 * The bytes of the model file. Only the layers are quantised: embeddings and head are always F16.
 */
export function randomModel(options: RandomModelOptions): Uint8Array {
  const { shape, format } = options;
  const vocabulary = new BpeVocabulary();
  const random = new RandomSource(options.seed);
  const tokens = vocabulary.tokens.length;

  const embedding = randomMatrix(random, tokens, shape.width, 1);
  const head = randomMatrix(random, tokens, shape.width, LOGIT_DEVIATION / Math.sqrt(shape.width));
  const plain = plainTextIds(vocabulary);
  for (let id = 0; id < tokens; id++) {
    const at = id * shape.width + CONSTANT;
    embedding.values[at] = CONSTANT_VALUE;
    head.values[at] = plain.has(id) ? 0 : SUPPRESSION;
  }

  const tensors: GgufTensor[] = [
    matrixTensor('token_embd.weight', embedding),
    constantVector('output_norm.weight', shape.width, 1),
    matrixTensor('output.weight', head),
  ];
  // Projections keep the size of what they read. Those that write to the stream leave the constant
  // alone, and all layers together add about as much as two would, so that the constant does not
  // drown in a deep model.
  const writeGain = Math.sqrt(Math.min(1, 2 / shape.layers));
  const project = (name: string, rows: number, columns: number, writesStream = false): void => {
    const deviation = (writesStream ? writeGain : 1) / Math.sqrt(columns);
    if (format !== 'f16') {
      const zeroRows = writesStream ? [CONSTANT] : [];
      const matrix = { rows, columns, deviation, zeroRows };
      tensors.push(randomQuantTensor(name, random, format, matrix));
      return;
    }
    const matrix = randomMatrix(random, rows, columns, deviation);
    if (writesStream) matrix.values.fill(0, CONSTANT * columns, (CONSTANT + 1) * columns);
    tensors.push(matrixTensor(name, matrix));
  };
  const queries = shape.heads * shape.headWidth;
  const keys = shape.kvHeads * shape.headWidth;
  for (let layer = 0; layer < shape.layers; layer++) {
    const prefix = `blk.${layer}`;
    tensors.push(constantVector(`${prefix}.attn_norm.weight`, shape.width, 1));
    project(`${prefix}.attn_q.weight`, queries, shape.width);
    project(`${prefix}.attn_k.weight`, keys, shape.width);
    project(`${prefix}.attn_v.weight`, keys, shape.width);
    project(`${prefix}.attn_output.weight`, shape.width, queries, true);
    tensors.push(constantVector(`${prefix}.ffn_norm.weight`, shape.width, 1));
    project(`${prefix}.ffn_gate.weight`, shape.feedForward, shape.width);
    project(`${prefix}.ffn_up.weight`, shape.feedForward, shape.width);
    project(`${prefix}.ffn_down.weight`, shape.width, shape.feedForward, true);
  }

  const metadata = llamaMetadata({
    name: options.name,
    architecture: options.architecture ?? 'llama',
    shape,
    format,
    vocabulary,
    template: options.template,
  });
  if (options.temperature !== undefined) {
    metadata.set('general.sampling.temp', { type: 'f32', value: options.temperature });
  }
  return writeGguf({ metadata, tensors });
}
