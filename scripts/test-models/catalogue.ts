/** Every test model by name, and how its bytes are made. */
import { BpeVocabulary } from './bpe-vocab.js';
import {
  BROKEN_TEMPLATE,
  PLAIN_TEMPLATE,
  RERANK_TEMPLATE,
  THINKING_TEMPLATE,
  TOOLS_TEMPLATE,
} from './chat-templates.js';
import { embedModel } from './embed-model.js';
import type { LlamaShape } from './llama-file.js';
import { hybridModel, recurrentModel, rowsModel, slidingModel } from './memory-models.js';
import { gemmaProjector, qwenProjector, wiredProjector } from './projector-models.js';
import { type RandomModelOptions, randomModel } from './random-model.js';
import {
  AFTER_TOOL_SENTENCE,
  BROKEN_UTF8_PIECES,
  LONG_CYCLE_PIECES,
  SCRIPTED_SENTENCE,
  SEEN,
  THINKING_ANSWER,
  THINKING_TEXT,
  TOOL_CALL_PIECES,
} from './scripts.js';
import { type Chain, type Piece, wiredModel } from './wired-model.js';

const RANDOM_SHAPE: LlamaShape = {
  layers: 2,
  width: 64,
  heads: 4,
  kvHeads: 2,
  headWidth: 16,
  feedForward: 192,
  context: 4096,
  ropeBase: 10_000,
};

/**
 * About 30 million parameters at 2.6 bits, which no processor multiplies fast, in few layers,
 * because waiting for the slowest thread after every step would make many thin layers crawl on a
 * busy machine.
 */
const SLOW_SHAPE: LlamaShape = {
  layers: 8,
  width: 512,
  heads: 8,
  kvHeads: 1,
  headWidth: 64,
  feedForward: 2048,
  context: 8192,
  ropeBase: 10_000,
};

/**
 * Layers that do nothing, and room for some 30,000 tokens, so that its stream outlives a person's
 * click.
 */
const LONG_SHAPE = { layers: 8, heads: 1, kvHeads: 1, headWidth: 16, context: 32_768 } as const;

const ONCE = { ending: 'turn-end', start: 'always' } as const;

const MAKERS = {
  /** Noise in ASCII until max_tokens; context of 4096 tokens. */
  random: () => random('random'),
  /** As `random`, but its file recommends temperature 0. */
  greedy: () => random('greedy', { temperature: 0 }),
  /** BROKEN_UTF8_PIECES, then the end of the turn. */
  'broken-utf8': () => wired('broken-utf8', [{ pieces: BROKEN_UTF8_PIECES, ...ONCE }]),
  /** SCRIPTED_SENTENCE, then the end of the turn. */
  scripted: () => wired('scripted', [{ pieces: words(SCRIPTED_SENTENCE), ...ONCE }]),
  /** LONG_CYCLE_TEXT again and again; context of 32,768 tokens. */
  'scripted-long': () =>
    wiredModel({
      name: 'scripted-long',
      chains: [{ pieces: LONG_CYCLE_PIECES, ending: 'repeat', start: 'always' }],
      template: PLAIN_TEMPLATE,
      shape: LONG_SHAPE,
    }),
  /**
   * TOOL_CALL if there are tools, AFTER_TOOL_SENTENCE after a tool's answer, else
   * SCRIPTED_SENTENCE.
   */
  toolcall: () =>
    wired(
      'toolcall',
      [
        { pieces: words(SCRIPTED_SENTENCE), ...ONCE },
        { pieces: TOOL_CALL_PIECES, ending: 'turn-end', start: 'tools-offered' },
        { pieces: afterToolPieces(), ending: 'turn-end', start: 'tool-answered' },
      ],
      TOOLS_TEMPLATE,
    ),
  /** TOOL_CALL again and again if there are tools, else SCRIPTED_SENTENCE. */
  toolcalls: () =>
    wired(
      'toolcalls',
      [
        { pieces: words(SCRIPTED_SENTENCE), ...ONCE },
        { pieces: TOOL_CALL_PIECES, ending: 'repeat', start: 'tools-offered' },
      ],
      TOOLS_TEMPLATE,
    ),
  /**
   * THINKING_TEXT between tags, a blank line, THINKING_ANSWER; only the answer with
   * enable_thinking=false.
   */
  thinking: () => wired('thinking', [{ pieces: thinkingPieces(), ...ONCE }], THINKING_TEMPLATE),
  /**
   * Sees: says which colour an image of the prompt is (SEEN), else that it sees nothing. Its image part is
   * `mmproj-sees`.
   */
  sees: () =>
    wired('sees', [
      { pieces: [SEEN.none], ...ONCE },
      ...(['red', 'green', 'blue'] as const).map((colour) => ({
        ...{ pieces: [SEEN[colour]], start: colour },
        ending: 'turn-end' as const,
      })),
    ]),
  'mmproj-sees': wiredProjector,
  /** Of `sliding`; see projector-models.ts. */
  'mmproj-sliding': gemmaProjector,
  /** As `random-f32`, of Qwen2-VL's architecture; `mmproj-rows` is its image part. */
  rows: rowsModel,
  'mmproj-rows': qwenProjector,
  /** As `random`, but much more work for each token; context of 8192 tokens. */
  slow: () =>
    randomModel({
      seed: 'slow',
      name: 'slow',
      shape: SLOW_SHAPE,
      format: 'q2_k',
      template: PLAIN_TEMPLATE,
    }),
  /** As `random`, in F32. */
  'random-f32': () => random('random-f32', { format: 'f32' }),
  /** As `random-f32`, of Gemma 3's architecture: two of three layers see the last 64 tokens only. */
  sliding: slidingModel,
  /** As `random-f32`, of Mamba's architecture: a recurrent state instead of a KV cache. */
  recurrent: recurrentModel,
  /** As `random-f32`, of LFM2's architecture: recurrent and attention layers. */
  hybrid: () => hybridModel('hybrid'),
  /** As `hybrid`, with attention to the last 64 tokens only. */
  'hybrid-sliding': () => hybridModel('hybrid-sliding'),
  /** Embeddings: see embed-model.ts. */
  embed: () => embedModel({ name: 'embed', pooling: 'mean' }),
  /** As `embed`, but the first token's state is the vector. */
  'embed-cls': () => embedModel({ name: 'embed-cls', pooling: 'cls' }),
  /** As `embed` (the same weights), but its file does not say how to pool. */
  'embed-unpooled': () => embedModel({ name: 'embed', pooling: undefined }),
  /** Embeddings from a causal model with a KV cache: `random`, pooled by the last token. */
  'embed-last': () => random('embed-last', { poolsLast: true }),
  /** Scores for pairs of query and document: see embed-model.ts. */
  rerank: () => embedModel({ name: 'rerank', pooling: 'rank' }),
  /** As `rerank` (the same weights), but its file says how a pair is put together. */
  'rerank-template': () =>
    embedModel({ name: 'rerank', pooling: 'rank', rerankTemplate: RERANK_TEMPLATE }),
  /** The first half of `random`: the header is whole, the tensors are not. */
  truncated: () => {
    const whole = random('random');
    return whole.subarray(0, Math.floor(whole.length / 2));
  },
  /** A text file with a model's name. */
  'not-a-model': () => Buffer.from('This file only has the name of a model.\n'.repeat(20)),
  /** A well-formed file of an architecture that nobody knows. */
  'unknown-arch': () => random('unknown-arch', { architecture: 'martian' }),
  /** No bytes at all. */
  empty: () => new Uint8Array(0),
  /** `random` without a chat template. */
  'no-template': () => random('no-template', { template: undefined }),
  /** `random` with a chat template that is no Jinja. */
  'bad-template': () => random('bad-template', { template: BROKEN_TEMPLATE }),
} as const satisfies Record<string, () => Uint8Array>;

export type TestModelName = keyof typeof MAKERS;

export const TEST_MODEL_NAMES = Object.keys(MAKERS) as TestModelName[];

/** The bytes of one test model: the same for every call and on every machine. */
export function makeTestModel(name: TestModelName): Uint8Array {
  return MAKERS[name]();
}

function random(name: string, changes: Partial<RandomModelOptions> = {}): Uint8Array {
  return randomModel({
    seed: name,
    name,
    shape: RANDOM_SHAPE,
    format: 'q8_0',
    template: PLAIN_TEMPLATE,
    ...changes,
  });
}

function wired(name: string, chains: readonly Chain[], template = PLAIN_TEMPLATE): Uint8Array {
  return wiredModel({ name, chains, template });
}

/**
 * The tokens into which a text is encoded, so that encoding the model's answer gives the same count
 * again.
 */
function words(text: string): Uint8Array[] {
  const vocabulary = new BpeVocabulary();
  return vocabulary.encode(text).map((id) => vocabulary.bytes(id));
}

/** Joined to one token where the sentence's end would repeat a token of another chain. */
function afterToolPieces(): Piece[] {
  const cut = AFTER_TOOL_SENTENCE.lastIndexOf(' ');
  return [...words(AFTER_TOOL_SENTENCE.slice(0, cut)), AFTER_TOOL_SENTENCE.slice(cut)];
}

/**
 * Line feeds are joined to their neighbours: a lone one ends every prompt and must stay outside the
 * chain.
 */
function thinkingPieces(): Piece[] {
  const [first = new Uint8Array(), ...rest] = words(THINKING_TEXT);
  const last = rest.pop() ?? new Uint8Array();
  const lineFeed = Buffer.from('\n');
  return [
    '<think>',
    Buffer.concat([lineFeed, first]),
    ...rest,
    Buffer.concat([last, lineFeed]),
    '</think>',
    '\n\n',
    ...words(THINKING_ANSWER),
  ];
}
