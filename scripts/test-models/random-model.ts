/** Chat models of the llama architecture with random weights (random-weights.ts). */
import { BpeVocabulary } from './bpe-vocab.js';
import { writeGguf } from './gguf-writer.js';
import { type LlamaShape, llamaMetadata } from './llama-file.js';
import { RandomWeights, type WeightFormat } from './random-weights.js';
import { constantVector } from './tensor.js';

/** A value of `pooling_type`. */
const POOLING_LAST = 3;

export interface RandomModelOptions {
  /** Also the seed. */
  seed: string;
  name: string;
  architecture?: string;
  shape: LlamaShape;
  format: WeightFormat;
  template: string | undefined;
  /** What the file recommends (general.sampling.temp). */
  temperature?: number;
  /** Makes it an embedding model: the state of the last token is the text's vector. */
  poolsLast?: boolean;
}

/**
 * The bytes of the model file. Only the layers are quantised: embeddings and head are always F16.
 */
export function randomModel(options: RandomModelOptions): Uint8Array {
  const { shape, format } = options;
  const vocabulary = new BpeVocabulary();
  const weights = new RandomWeights(options.seed, format, shape.layers);
  weights.outside(vocabulary, shape.width, constantVector('output_norm.weight', shape.width, 1));

  const queries = shape.heads * shape.headWidth;
  const keys = shape.kvHeads * shape.headWidth;
  for (let layer = 0; layer < shape.layers; layer++) {
    const prefix = `blk.${layer}`;
    weights.add(constantVector(`${prefix}.attn_norm.weight`, shape.width, 1));
    weights.project(`${prefix}.attn_q.weight`, queries, shape.width);
    weights.project(`${prefix}.attn_k.weight`, keys, shape.width);
    weights.project(`${prefix}.attn_v.weight`, keys, shape.width);
    weights.project(`${prefix}.attn_output.weight`, shape.width, queries, true);
    weights.add(constantVector(`${prefix}.ffn_norm.weight`, shape.width, 1));
    weights.project(`${prefix}.ffn_gate.weight`, shape.feedForward, shape.width);
    weights.project(`${prefix}.ffn_up.weight`, shape.feedForward, shape.width);
    weights.project(`${prefix}.ffn_down.weight`, shape.width, shape.feedForward, true);
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
  if (options.poolsLast) {
    const key = `${options.architecture ?? 'llama'}.pooling_type`;
    metadata.set(key, { type: 'u32', value: POOLING_LAST });
  }
  return writeGguf({ metadata, tensors: weights.tensors });
}
