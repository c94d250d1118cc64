/**
 * Chat models with random weights whose memory is not one plain KV cache: a sliding window, a
 * recurrent state, a mixture of recurrent and attention layers, and one in which positions are not
 * counted by tokens.
 */
import { BpeVocabulary } from './bpe-vocab.js';
import { PLAIN_TEMPLATE } from './chat-templates.js';
import { type GgufTensor, type GgufValue, writeGguf } from './gguf-writer.js';
import { type LlamaShape, llamaMetadata } from './llama-file.js';
import { CONSTANT, RandomWeights } from './random-weights.js';
import { constantVector, floatMatrixTensor, Matrix } from './tensor.js';

/** Tokens that a sliding layer sees, the current one included. */
const WINDOW = 64;

const SHAPE: LlamaShape = {
  layers: 3,
  width: 64,
  heads: 4,
  kvHeads: 2,
  headWidth: 16,
  feedForward: 128,
  context: 4096,
  ropeBase: 10_000,
};

/** Gemma 3: sliding, full, sliding. */
export function slidingModel(): Uint8Array {
  const { weights, vocabulary } = begin('sliding', 'output_norm.weight');
  for (let layer = 0; layer < SHAPE.layers; layer++) {
    const prefix = `blk.${layer}`;
    weights.add(ones(`${prefix}.attn_norm`));
    attention(weights, prefix);
    weights.add(headNorm(`${prefix}.attn_q_norm`), headNorm(`${prefix}.attn_k_norm`));
    weights.add(addition(`${prefix}.post_attention_norm`), ones(`${prefix}.ffn_norm`));
    feedForward(weights, prefix);
    weights.add(addition(`${prefix}.post_ffw_norm`));
  }
  return finish('sliding', 'gemma3', weights, vocabulary, {
    'attention.sliding_window': { type: 'u32', value: WINDOW },
    'attention.sliding_window_pattern': { type: 'u32', value: 2 },
  });
}

/** Qwen2-VL: places of an image have a row and a column. */
export function rowsModel(): Uint8Array {
  const { weights, vocabulary } = begin('rows', 'output_norm.weight');
  for (let layer = 0; layer < SHAPE.layers; layer++) {
    const prefix = `blk.${layer}`;
    weights.add(ones(`${prefix}.attn_norm`));
    attention(weights, prefix);
    weights.add(ones(`${prefix}.ffn_norm`));
    feedForward(weights, prefix);
  }
  return finish('rows', 'qwen2vl', weights, vocabulary, {
    'rope.dimension_sections': { type: 'i32s', value: [2, 3, 3, 0] },
  });
}

/** Mamba: no attention at all. */
export function recurrentModel(): Uint8Array {
  const inner = SHAPE.width * 2;
  const kernel = 4;
  const states = 16;
  const rank = 32;
  const { weights, vocabulary } = begin('recurrent', 'output_norm.weight');
  for (let layer = 0; layer < SHAPE.layers; layer++) {
    const prefix = `blk.${layer}`;
    weights.add(ones(`${prefix}.attn_norm`));
    weights.project(`${prefix}.ssm_in.weight`, inner * 2, SHAPE.width);
    weights.float(`${prefix}.ssm_conv1d.weight`, inner, kernel, 1 / Math.sqrt(kernel));
    weights.add(constantVector(`${prefix}.ssm_conv1d.bias`, inner, 0));
    weights.project(`${prefix}.ssm_x.weight`, rank + states * 2, inner);
    weights.project(`${prefix}.ssm_dt.weight`, inner, rank);
    weights.add(constantVector(`${prefix}.ssm_dt.bias`, inner, -2));
    weights.add(decays(`${prefix}.ssm_a`, inner, states));
    weights.add(constantVector(`${prefix}.ssm_d`, inner, 1));
    weights.project(`${prefix}.ssm_out.weight`, SHAPE.width, inner, true);
  }
  const u32 = (value: number): GgufValue => ({ type: 'u32', value });
  return finish('recurrent', 'mamba', weights, vocabulary, {
    'attention.head_count': u32(0),
    'attention.head_count_kv': u32(0),
    feed_forward_length: u32(0),
    'ssm.conv_kernel': u32(kernel),
    'ssm.inner_size': u32(inner),
    'ssm.state_size': u32(states),
    'ssm.time_step_rank': u32(rank),
  });
}

/**
 * LFM2: short convolution, attention, short convolution. `name` is 'hybrid', or 'hybrid-sliding'
 * for attention within the window only.
 */
export function hybridModel(name: 'hybrid' | 'hybrid-sliding'): Uint8Array {
  const kernel = 4;
  const { weights, vocabulary } = begin(name, 'token_embd_norm.weight');
  const kvHeads = Array.from({ length: SHAPE.layers }, (_, i) => (i % 2 === 1 ? SHAPE.kvHeads : 0));
  kvHeads.forEach((heads, layer) => {
    const prefix = `blk.${layer}`;
    weights.add(ones(`${prefix}.attn_norm`));
    if (heads > 0) {
      attention(weights, prefix);
      weights.add(headNorm(`${prefix}.attn_q_norm`), headNorm(`${prefix}.attn_k_norm`));
    } else {
      weights.float(`${prefix}.shortconv.conv.weight`, SHAPE.width, kernel, 1 / Math.sqrt(kernel));
      weights.project(`${prefix}.shortconv.in_proj.weight`, SHAPE.width * 3, SHAPE.width);
      weights.project(`${prefix}.shortconv.out_proj.weight`, SHAPE.width, SHAPE.width, true);
    }
    weights.add(ones(`${prefix}.ffn_norm`));
    feedForward(weights, prefix);
  });
  return finish(name, 'lfm2', weights, vocabulary, {
    'attention.head_count_kv': { type: 'i32s', value: kvHeads },
    'shortconv.l_cache': { type: 'u32', value: kernel },
    ...(name === 'hybrid' ? {} : { 'attention.sliding_window': { type: 'u32', value: WINDOW } }),
  });
}

function begin(seed: string, lastNorm: string) {
  const vocabulary = new BpeVocabulary();
  const weights = new RandomWeights(seed, 'f32', SHAPE.layers);
  weights.outside(vocabulary, SHAPE.width, constantVector(lastNorm, SHAPE.width, 1));
  return { weights, vocabulary };
}

/** `keys` are without the architecture's prefix. */
function finish(
  name: string,
  architecture: string,
  weights: RandomWeights,
  vocabulary: BpeVocabulary,
  keys: Record<string, GgufValue>,
): Uint8Array {
  const metadata = llamaMetadata({
    name,
    architecture,
    shape: SHAPE,
    format: 'f32',
    vocabulary,
    template: PLAIN_TEMPLATE,
  });
  for (const [key, value] of Object.entries(keys)) metadata.set(`${architecture}.${key}`, value);
  return writeGguf({ metadata, tensors: weights.tensors });
}

function attention(weights: RandomWeights, prefix: string): void {
  const queries = SHAPE.heads * SHAPE.headWidth;
  const keys = SHAPE.kvHeads * SHAPE.headWidth;
  weights.project(`${prefix}.attn_q.weight`, queries, SHAPE.width);
  weights.project(`${prefix}.attn_k.weight`, keys, SHAPE.width);
  weights.project(`${prefix}.attn_v.weight`, keys, SHAPE.width);
  weights.project(`${prefix}.attn_output.weight`, SHAPE.width, queries, true);
}

function feedForward(weights: RandomWeights, prefix: string): void {
  weights.project(`${prefix}.ffn_gate.weight`, SHAPE.feedForward, SHAPE.width);
  weights.project(`${prefix}.ffn_up.weight`, SHAPE.feedForward, SHAPE.width);
  weights.project(`${prefix}.ffn_down.weight`, SHAPE.width, SHAPE.feedForward, true);
}

function ones(name: string): GgufTensor {
  return constantVector(`${name}.weight`, SHAPE.width, 1);
}

/** Keys and queries of this size look at some tokens much more than at others. */
function headNorm(name: string): GgufTensor {
  return constantVector(`${name}.weight`, SHAPE.headWidth, 1.5);
}

/**
 * The norm after a Gemma layer: what is added to the stream is half as large as the embeddings,
 * which Gemma multiplies by the root of the width; the constant dimension gets nothing.
 */
function addition(name: string): GgufTensor {
  const matrix = new Matrix(1, SHAPE.width);
  matrix.values.fill(Math.sqrt(SHAPE.width) / 2);
  matrix.values[CONSTANT] = 0;
  return { ...floatMatrixTensor(`${name}.weight`, matrix), shape: [SHAPE.width] };
}

/** Decay rates of the states: half-lives from some five to some thousand tokens. */
function decays(name: string, inner: number, states: number): GgufTensor {
  const matrix = new Matrix(inner, states);
  for (let i = 0; i < matrix.values.length; i++) matrix.values[i] = -(2 ** -(i % 8)) * 0.7;
  return floatMatrixTensor(name, matrix);
}
