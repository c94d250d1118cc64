/**
 * Image parts (mmproj) for three of the test models, each of another kind: what an image becomes are
 * vectors as wide as the models' streams.
 */
import { type GgufTensor, type GgufValue, writeGguf } from './gguf-writer.js';
import { RandomSource } from './random-source.js';
import { constantVector, floatMatrixTensor, Matrix, randomMatrix } from './tensor.js';
import { EYES } from './wired-model.js';

/** Pixels along the edge of a patch, each of which becomes one state of the encoder. */
const PATCH = 16;
/** Width of the models' streams. */
const STREAM = 64;
/** Width of the encoders' states. */
const STATE = 16;

/** Edge of the square that every image becomes, and the tokens that it takes. */
export const SEES_EDGE = 64;
export const SEES_TOKENS = (SEES_EDGE / PATCH) ** 2;

/** LLaVA's: every image takes SEES_TOKENS; red, green and blue ones are marked as EYES says. */
export function wiredProjector(): Uint8Array {
  // State 0, 1 and 2 of a patch: how much of each colour is in it, 0 to 1.
  const patches = new Matrix(STATE, 3 * PATCH * PATCH);
  for (let colour = 0; colour < 3; colour++) {
    for (let i = 0; i < PATCH * PATCH; i++) {
      patches.add(colour, colour * PATCH * PATCH + i, 1 / (PATCH * PATCH));
    }
  }
  // Far below 0, which becomes 0, unless one colour is there and the others are not.
  const hidden = new Matrix(STATE, STATE);
  for (let colour = 0; colour < 3; colour++) {
    for (let other = 0; other < 3; other++) hidden.add(colour, other, colour === other ? 40 : -40);
  }
  const marks = new Matrix(STREAM, STATE);
  const [red, green, blue] = EYES.colours;
  [red, green, blue].forEach((mark, colour) => {
    marks.add(mark, colour, 1 / 20);
  });
  const always = new Matrix(1, STREAM);
  always.add(0, EYES.one, 1);
  return projector('sees', 'mlp', SEES_EDGE, [
    patchTensor('v.patch_embd.weight', patches),
    floatMatrixTensor('v.position_embd.weight', new Matrix(SEES_TOKENS, STATE)),
    ...encoderLayer(new RandomSource('sees')),
    floatMatrixTensor('mm.0.weight', hidden),
    constantVector('mm.0.bias', STATE, -20),
    floatMatrixTensor('mm.2.weight', marks),
    vector('mm.2.bias', always),
  ]);
}

/**
 * Gemma 3's, random: the tokens of an image see each other. Every image takes four of them; what an image
 * is has much to say in the answer.
 */
export function gemmaProjector(): Uint8Array {
  const random = new RandomSource('mmproj-sliding');
  const edge = 64;
  return projector(
    'sliding',
    'gemma3',
    edge,
    [
      patchTensor('v.patch_embd.weight', randomMatrix(random, STATE, 3 * PATCH * PATCH, 0.1)),
      floatMatrixTensor(
        'v.position_embd.weight',
        randomMatrix(random, (edge / PATCH) ** 2, STATE, 0.3),
      ),
      ...encoderLayer(random),
      constantVector('v.post_ln.weight', STATE, 1),
      constantVector('v.post_ln.bias', STATE, 0),
      constantVector('mm.soft_emb_norm.weight', STATE, 1),
      floatMatrixTensor('mm.input_projection.weight', randomMatrix(random, STATE, STREAM, 2)),
    ],
    { 'clip.vision.projector.scale_factor': { type: 'u32', value: 2 } },
  );
}

/** Qwen2-VL's, random: an image takes as many tokens as its shape asks for, and counts positions by rows and columns. */
export function qwenProjector(): Uint8Array {
  const random = new RandomSource('mmproj-rows');
  return projector('rows', 'qwen2vl_merger', 64, [
    patchTensor('v.patch_embd.weight', randomMatrix(random, STATE, 3 * PATCH * PATCH, 0.1)),
    patchTensor('v.patch_embd.weight.1', randomMatrix(random, STATE, 3 * PATCH * PATCH, 0.1)),
    ...encoderLayer(random),
    constantVector('v.post_ln.weight', STATE, 1),
    constantVector('v.post_ln.bias', STATE, 0),
    floatMatrixTensor('mm.0.weight', randomMatrix(random, STATE * 4, STATE * 4, 0.25)),
    constantVector('mm.0.bias', STATE * 4, 0),
    floatMatrixTensor('mm.2.weight', randomMatrix(random, STREAM, STATE * 4, 0.5)),
    constantVector('mm.2.bias', STREAM, 0),
  ]);
}

/** One layer, which LLaVA's leaves out because it reads the states before the last one. */
function encoderLayer(random: RandomSource): GgufTensor[] {
  const prefix = 'v.blk.0';
  const square = (name: string, rows = STATE, columns = STATE) =>
    floatMatrixTensor(`${prefix}.${name}.weight`, randomMatrix(random, rows, columns, 0.25));
  const zeros = (name: string, length = STATE) =>
    constantVector(`${prefix}.${name}.bias`, length, 0);
  return [
    constantVector(`${prefix}.ln1.weight`, STATE, 1),
    zeros('ln1'),
    constantVector(`${prefix}.ln2.weight`, STATE, 1),
    zeros('ln2'),
    ...['attn_q', 'attn_k', 'attn_v', 'attn_out'].flatMap((name) => [square(name), zeros(name)]),
    square('ffn_up', STATE * 2, STATE),
    zeros('ffn_up', STATE * 2),
    square('ffn_down', STATE, STATE * 2),
    zeros('ffn_down'),
  ];
}

/** Rows are the states, columns the pixels of a patch: colour, row, column. */
function patchTensor(name: string, matrix: Matrix): GgufTensor {
  return { ...floatMatrixTensor(name, matrix), shape: [PATCH, PATCH, 3, STATE] };
}

function vector(name: string, matrix: Matrix): GgufTensor {
  return { ...floatMatrixTensor(name, matrix), shape: [matrix.columns] };
}

function projector(
  name: string,
  type: string,
  edge: number,
  tensors: readonly GgufTensor[],
  keys: Record<string, GgufValue> = {},
): Uint8Array {
  const u32 = (value: number): GgufValue => ({ type: 'u32', value });
  const string = (value: string): GgufValue => ({ type: 'string', value });
  const metadata = new Map<string, GgufValue>([
    ['general.architecture', string('clip')],
    ['general.type', string('mmproj')],
    ['general.name', string(`Pilotlight test image part: ${name}`)],
    ['general.file_type', u32(0)],
    ['clip.has_vision_encoder', { type: 'bool', value: true }],
    ['clip.projector_type', string(type)],
    ['clip.use_gelu', { type: 'bool', value: true }],
    ['clip.vision.image_size', u32(edge)],
    ['clip.vision.patch_size', u32(PATCH)],
    ['clip.vision.embedding_length', u32(STATE)],
    ['clip.vision.feed_forward_length', u32(STATE * 2)],
    ['clip.vision.projection_dim', u32(STREAM)],
    ['clip.vision.block_count', u32(1)],
    ['clip.vision.attention.head_count', u32(1)],
    ['clip.vision.attention.layer_norm_epsilon', { type: 'f32', value: 1e-6 }],
    ['clip.vision.image_mean', { type: 'f32s', value: [0, 0, 0] }],
    ['clip.vision.image_std', { type: 'f32s', value: [1, 1, 1] }],
    ...Object.entries(keys),
  ]);
  return writeGguf({ metadata, tensors });
}
