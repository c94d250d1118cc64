/**
 * Random weights for chat models that write noise in plain ASCII until something stops them.
 *
 * One dimension of the residual stream is a constant that no layer writes to. The output head reads
 * it to push down every token that is not plain text, so the end of a turn is practically never
 * sampled.
 */
import type { BpeVocabulary } from './bpe-vocab.js';
import type { GgufTensor } from './gguf-writer.js';
import { plainTextIds } from './llama-file.js';
import { RandomSource } from './random-source.js';
import { floatMatrixTensor, matrixTensor, randomMatrix, randomQuantTensor } from './tensor.js';

/** Index of the constant dimension, and its size beside embeddings of standard deviation 1. */
export const CONSTANT = 0;
const CONSTANT_VALUE = 2;
/**
 * The constant reaches the head at 0.6 to 1.5 after the last norm, so this costs a token 50 in its
 * logit at least.
 */
const SUPPRESSION = -80;
/** Standard deviation of the logits: lively at temperature 1, yet far from uniform. */
const LOGIT_DEVIATION = 3;

/** F32 for what must hardly depend on how a prompt is divided into batches. */
export type WeightFormat = 'f32' | 'q8_0' | 'q2_k';

/** Draws the tensors of one model in order; the same seed and order give the same bytes. */
export class RandomWeights {
  /** In the order in which they were drawn. */
  readonly tensors: GgufTensor[] = [];
  private readonly random: RandomSource;
  private readonly writeGain: number;

  /** `format` is that of the projections; `layers` that write to the stream twice each. */
  constructor(
    seed: string,
    private readonly format: WeightFormat,
    layers: number,
  ) {
    this.random = new RandomSource(seed);
    // All layers together add about as much as two would, so that the constant does not drown in a
    // deep model.
    this.writeGain = Math.sqrt(Math.min(1, 2 / layers));
  }

  /** Token embeddings, the last norm (named differently in some architectures) and the head. */
  outside(vocabulary: BpeVocabulary, width: number, lastNorm: GgufTensor): void {
    const tokens = vocabulary.tokens.length;
    const embedding = randomMatrix(this.random, tokens, width, 1);
    const head = randomMatrix(this.random, tokens, width, LOGIT_DEVIATION / Math.sqrt(width));
    const plain = plainTextIds(vocabulary);
    for (let id = 0; id < tokens; id++) {
      const at = id * width + CONSTANT;
      embedding.values[at] = CONSTANT_VALUE;
      head.values[at] = plain.has(id) ? 0 : SUPPRESSION;
    }
    this.tensors.push(
      matrixTensor('token_embd.weight', embedding),
      lastNorm,
      matrixTensor('output.weight', head),
    );
  }

  add(...tensors: GgufTensor[]): void {
    this.tensors.push(...tensors);
  }

  /**
   * A projection that keeps the size of what it reads. One that writes to the stream leaves the
   * constant alone.
   */
  project(name: string, rows: number, columns: number, writesStream = false): void {
    const deviation = (writesStream ? this.writeGain : 1) / Math.sqrt(columns);
    if (this.format !== 'f32') {
      const zeroRows = writesStream ? [CONSTANT] : [];
      const matrix = { rows, columns, deviation, zeroRows };
      this.tensors.push(randomQuantTensor(name, this.random, this.format, matrix));
      return;
    }
    const matrix = randomMatrix(this.random, rows, columns, deviation);
    if (writesStream) matrix.values.fill(0, CONSTANT * columns, (CONSTANT + 1) * columns);
    this.tensors.push(floatMatrixTensor(name, matrix));
  }

  /** A small matrix in F32, for what ggml takes in no other format. */
  float(name: string, rows: number, columns: number, deviation: number): void {
    this.tensors.push(floatMatrixTensor(name, randomMatrix(this.random, rows, columns, deviation)));
  }
}
