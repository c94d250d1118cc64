/**
 * Chat models wired by hand as a chain: each token has exactly one successor, with a margin in the
 * logits that no temperature overcomes.
 *
 * The residual stream (WIDTH dimensions) carries:
 *   0       1 for every token
 *   1, 2    marks of two tokens: `<tools>` and `</tool_response>`
 *   3, 4    written by attention: tools are offered; the turn before the answer is a tool's result
 *   5       1 for every token outside the chains: after any of those the model starts to speak
 *   6…      one dimension for each token in a chain
 *   58…     in models with eyes: marks of red, green and blue images, and what attention has seen of them
 * The head reads a token's successor straight from these. The feed-forward layer is zero.
 */
import { BpeVocabulary, TURN_END } from './bpe-vocab.js';
import { type GgufTensor, writeGguf } from './gguf-writer.js';
import { type LlamaShape, llamaMetadata, plainTextIds } from './llama-file.js';
import { constantVector, Matrix, matrixTensor } from './tensor.js';

export type Piece = string | Uint8Array;

export interface Chain {
  /** Each is one token; within a model no piece may occur twice. */
  pieces: readonly Piece[];
  /** After the last piece: the end of the turn, or the first piece again. */
  ending: 'turn-end' | 'repeat';
  /** What makes the model start this chain; a later kind wins over an earlier one. */
  start: 'always' | 'tools-offered' | 'tool-answered' | Colour;
}

type Colour = 'red' | 'green' | 'blue';

/** Dimensions of the stream that an image part writes to. */
export const EYES = { one: 0, colours: [58, 59, 60] } as const;
const COLOURS_SEEN = { red: 61, green: 62, blue: 63 } as const;

const ONE = 0;
const TOOLS_MARK = 1;
const RESPONSE_MARK = 2;
const TOOLS_SEEN = 3;
const RESPONSE_SEEN = 4;
const OUTSIDE = 5;
const FIRST_LINK = 6;

const WIDTH = 64;
const SHAPE: LlamaShape = {
  layers: 1,
  width: WIDTH,
  heads: 2,
  kvHeads: 2,
  headWidth: 32,
  feedForward: 32,
  context: 4096,
  ropeBase: 100_000,
};

/** Every token's embedding has two ones, so a one is this large after the norm. */
const UNIT = Math.sqrt(WIDTH / 2);

/**
 * Logits, before the norm shrinks them a little where attention adds its marks (to 0.63 of them at
 * most).
 */
const PUSH = {
  ...{ suppressed: -40, always: 80, 'tools-offered': 160, 'tool-answered': 240, link: 80 },
  ...{ red: 160, green: 160, blue: 160 },
};
/** With attention in play a link must also win over the start of a chain. */
const LINK_WITH_TOOLS = 240;

/**
 * The prompt ends `</tool_response><|im_end|>⏎<|im_start|>assistant⏎`: the tag is this far back
 * from the end.
 */
const RESPONSE_DISTANCE = 5;
/** Attention scores by which the wanted position wins over all others, roughly. */
const SCORE_MARGIN = 60;

/**
 * The bytes of the model file. Throws RangeError when a piece occurs twice or there are too many.
 */
export function wiredModel(options: {
  name: string;
  chains: readonly Chain[];
  template: string;
  /** Other numbers of layers and heads, or another context, for chains that need no attention. */
  shape?: Partial<Omit<LlamaShape, 'width'>>;
}): Uint8Array {
  const { chains } = options;
  const shape = { ...SHAPE, ...options.shape };
  const vocabulary = new BpeVocabulary(chains.flatMap((chain) => chain.pieces));
  const sees = chains.some((chain) => isColour(chain.start));
  const usesTools = !sees && chains.some((chain) => chain.start !== 'always');
  const looks = sees || usesTools;
  const links = linkDimensions(vocabulary, chains);

  const tensors: GgufTensor[] = [
    matrixTensor('token_embd.weight', embedding(vocabulary, links)),
    constantVector('output_norm.weight', WIDTH, 1),
    matrixTensor('output.weight', outputHead(vocabulary, links, chains, looks)),
    ...(sees ? seeingLayer(shape) : attentionLayer(shape, usesTools)),
    ...Array.from({ length: shape.layers - 1 }, (_, i) => idleLayer(shape, i + 1)).flat(),
  ];
  const metadata = llamaMetadata({
    name: options.name,
    architecture: 'llama',
    shape,
    format: 'f16',
    vocabulary,
    template: options.template,
  });
  return writeGguf({ metadata, tensors });
}

function linkDimensions(vocabulary: BpeVocabulary, chains: readonly Chain[]): Map<number, number> {
  const links = new Map<number, number>();
  for (const piece of chains.flatMap((chain) => chain.pieces)) {
    const id = vocabulary.id(piece);
    if (links.has(id)) throw new RangeError(`${JSON.stringify(piece)} occurs twice in the chains`);
    links.set(id, FIRST_LINK + links.size);
  }
  if (FIRST_LINK + links.size > WIDTH) throw new RangeError(`${links.size} links do not fit`);
  return links;
}

function embedding(vocabulary: BpeVocabulary, links: ReadonlyMap<number, number>): Matrix {
  const marks = new Map([
    [vocabulary.id('<tools>'), TOOLS_MARK],
    [vocabulary.id('</tool_response>'), RESPONSE_MARK],
  ]);
  const matrix = new Matrix(vocabulary.tokens.length, WIDTH);
  for (let id = 0; id < matrix.rows; id++) {
    matrix.add(id, ONE, 1);
    matrix.add(id, marks.get(id) ?? links.get(id) ?? OUTSIDE, 1);
  }
  return matrix;
}

function outputHead(
  vocabulary: BpeVocabulary,
  links: ReadonlyMap<number, number>,
  chains: readonly Chain[],
  looks: boolean,
): Matrix {
  const matrix = new Matrix(vocabulary.tokens.length, WIDTH);
  const plain = plainTextIds(vocabulary);
  const suppression = (id: number): number => (plain.has(id) ? 0 : PUSH.suppressed);
  const push = (id: number, dimension: number, logit: number): void =>
    matrix.add(id, dimension, (logit - suppression(id)) / UNIT);

  for (let id = 0; id < matrix.rows; id++) matrix.add(id, ONE, suppression(id) / UNIT);
  for (const chain of chains) {
    const ids = chain.pieces.map((piece) => vocabulary.id(piece));
    const [first] = ids;
    if (first === undefined) throw new RangeError('a chain needs a piece');
    const last = chain.ending === 'repeat' ? first : vocabulary.id(TURN_END);
    ids.forEach((id, i) => {
      push(ids[i + 1] ?? last, links.get(id) ?? OUTSIDE, looks ? LINK_WITH_TOOLS : PUSH.link);
    });
    if (chain.start === 'always') {
      for (const dimension of [OUTSIDE, TOOLS_MARK, RESPONSE_MARK]) {
        push(first, dimension, PUSH.always);
      }
    } else {
      const seen = isColour(chain.start)
        ? COLOURS_SEEN[chain.start]
        : chain.start === 'tools-offered'
          ? TOOLS_SEEN
          : RESPONSE_SEEN;
      push(first, seen, PUSH[chain.start]);
    }
  }
  return matrix;
}

/**
 * Two heads. Head 0 looks for `<tools>` at any distance: query and key meet in the pair of
 * dimensions that RoPE turns most slowly. Head 1 looks RESPONSE_DISTANCE tokens back whatever is
 * there: every pair of its key is turned ahead by that distance, so that all pairs agree with the
 * query at exactly that distance. Each copies a mark from where it looks into the stream.
 */
function attentionLayer(shape: LlamaShape, usesTools: boolean): GgufTensor[] {
  if (!usesTools) return idleLayer(shape, 0);
  const { headWidth, ropeBase } = shape;
  const weights = zeroAttention(shape);
  // The score is query · key / √headWidth, and both have passed the norm.
  const size = Math.sqrt(SCORE_MARGIN * Math.sqrt(headWidth)) / UNIT;
  weights.query.add(headWidth - 2, ONE, size);
  weights.key.add(headWidth - 2, TOOLS_MARK, size);
  for (let pair = 0; pair < headWidth; pair += 2) {
    const angle = RESPONSE_DISTANCE * ropeBase ** (-pair / headWidth);
    weights.query.add(headWidth + pair, ONE, size);
    weights.key.add(headWidth + pair, ONE, size * Math.cos(angle));
    weights.key.add(headWidth + pair + 1, ONE, size * Math.sin(angle));
  }
  weights.value.add(0, TOOLS_MARK, 1 / UNIT);
  weights.value.add(headWidth, RESPONSE_MARK, 1 / UNIT);
  weights.output.add(TOOLS_SEEN, 0, 1);
  weights.output.add(RESPONSE_SEEN, headWidth, 1);
  return layerTensors(shape, 0, weights);
}

/** Head 0 looks for marks of colours at any distance, as that of attentionLayer for its mark, and copies them. */
function seeingLayer(shape: LlamaShape): GgufTensor[] {
  const { headWidth } = shape;
  const weights = zeroAttention(shape);
  const size = Math.sqrt(SCORE_MARGIN * Math.sqrt(headWidth)) / UNIT;
  weights.query.add(headWidth - 2, ONE, size);
  EYES.colours.forEach((mark, i) => {
    weights.key.add(headWidth - 2, mark, size);
    weights.value.add(i, mark, 1 / UNIT);
  });
  Object.values(COLOURS_SEEN).forEach((seen, i) => {
    weights.output.add(seen, i, 1);
  });
  return layerTensors(shape, 0, weights);
}

function isColour(start: Chain['start']): start is Colour {
  return start in COLOURS_SEEN;
}

/** Reads the stream and adds nothing to it. */
function idleLayer(shape: LlamaShape, layer: number): GgufTensor[] {
  return layerTensors(shape, layer, zeroAttention(shape));
}

function zeroAttention({ heads, kvHeads, headWidth }: LlamaShape) {
  return {
    query: new Matrix(heads * headWidth, WIDTH),
    key: new Matrix(kvHeads * headWidth, WIDTH),
    value: new Matrix(kvHeads * headWidth, WIDTH),
    output: new Matrix(WIDTH, heads * headWidth),
  };
}

function layerTensors(
  { feedForward }: LlamaShape,
  layer: number,
  weights: ReturnType<typeof zeroAttention>,
): GgufTensor[] {
  const prefix = `blk.${layer}`;
  return [
    constantVector(`${prefix}.attn_norm.weight`, WIDTH, 1),
    matrixTensor(`${prefix}.attn_q.weight`, weights.query),
    matrixTensor(`${prefix}.attn_k.weight`, weights.key),
    matrixTensor(`${prefix}.attn_v.weight`, weights.value),
    matrixTensor(`${prefix}.attn_output.weight`, weights.output),
    constantVector(`${prefix}.ffn_norm.weight`, WIDTH, 1),
    matrixTensor(`${prefix}.ffn_gate.weight`, new Matrix(feedForward, WIDTH)),
    matrixTensor(`${prefix}.ffn_up.weight`, new Matrix(feedForward, WIDTH)),
    matrixTensor(`${prefix}.ffn_down.weight`, new Matrix(WIDTH, feedForward)),
  ];
}
