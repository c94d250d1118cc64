/**
 * Embedding and rerank models of BERT's architecture with random weights. With mean pooling, texts
 * that share words get similar vectors, because it keeps much of the word embeddings. Vectors have
 * EMBED_WIDTH dimensions; a rerank model has one score instead.
 */
import { TOKEN_TYPE } from './bpe-vocab.js';
import { CORPUS } from './corpus.js';
import { GGUF_ALIGNMENT, type GgufTensor, type GgufValue, writeGguf } from './gguf-writer.js';
import { RandomSource } from './random-source.js';
import { constantVector, floatMatrixTensor, matrixTensor, randomMatrix } from './tensor.js';

/** Length of an embedding of the model. */
export const EMBED_WIDTH = 64;
/** Longest input of the model, in tokens, with the two that the tokenizer adds. */
export const EMBED_CONTEXT = 512;

const LAYERS = 2;
const HEADS = 4;
const FEED_FORWARD = 128;
/** Values of `bert.pooling_type`. */
const POOLING_TYPE = { mean: 1, cls: 2, rank: 4 } as const;
/** Marks the start of a word, as the loader expects for WordPiece vocabularies. */
const WORD_START = '\u2581';
const SPECIALS = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'] as const;

export interface EmbedModelOptions {
  /** Also the seed. */
  name: string;
  /** Undefined leaves it out of the file. */
  pooling: keyof typeof POOLING_TYPE | undefined;
  /** How a rerank model wants query and document put together; undefined leaves it out. */
  rerankTemplate?: string;
}

/** The bytes of the model file. */
export function embedModel(options: EmbedModelOptions): Uint8Array {
  const random = new RandomSource(options.name);
  const tokens = wordPieces();
  const width = EMBED_WIDTH;
  const tensors: GgufTensor[] = [
    matrixTensor('token_embd.weight', randomMatrix(random, tokens.length, width, 1)),
    matrixTensor('position_embd.weight', randomMatrix(random, EMBED_CONTEXT, width, 0.1)),
    // ggml adds this one row by row and aborts the process when it is not F32.
    floatMatrixTensor('token_types.weight', randomMatrix(random, 2, width, 0.1)),
    ...layerNorm('token_embd_norm'),
  ];
  const project = (name: string, rows: number, columns: number): void => {
    const matrix = randomMatrix(random, rows, columns, 0.5 / Math.sqrt(columns));
    tensors.push(matrixTensor(`${name}.weight`, matrix), constantVector(`${name}.bias`, rows, 0));
  };
  for (let layer = 0; layer < LAYERS; layer++) {
    const prefix = `blk.${layer}`;
    for (const part of ['attn_q', 'attn_k', 'attn_v', 'attn_output']) {
      project(`${prefix}.${part}`, width, width);
    }
    tensors.push(...layerNorm(`${prefix}.attn_output_norm`));
    project(`${prefix}.ffn_up`, FEED_FORWARD, width);
    project(`${prefix}.ffn_down`, width, FEED_FORWARD);
    tensors.push(...layerNorm(`${prefix}.layer_output_norm`));
  }
  if (options.pooling === 'rank') {
    tensors.push(matrixTensor('cls.output.weight', randomMatrix(random, 1, width, 0.2)));
    tensors.push(constantVector('cls.output.bias', 1, 0));
  }
  return writeGguf({ metadata: embedMetadata(tokens, options), tensors });
}

/**
 * Every word of the corpus, and every visible ASCII character at the start of a word and within
 * one.
 */
function wordPieces(): string[] {
  const pieces = new Set<string>(SPECIALS);
  for (let code = 33; code < 127; code++) {
    const char = String.fromCharCode(code).toLowerCase();
    pieces.add(WORD_START + char).add(char);
  }
  for (const word of CORPUS.toLowerCase().match(/[a-z]+/g) ?? []) pieces.add(WORD_START + word);
  return [...pieces];
}

function layerNorm(name: string): GgufTensor[] {
  return [
    constantVector(`${name}.weight`, EMBED_WIDTH, 1),
    constantVector(`${name}.bias`, EMBED_WIDTH, 0),
  ];
}

function embedMetadata(
  tokens: readonly string[],
  options: EmbedModelOptions,
): Map<string, GgufValue> {
  const u32 = (value: number): GgufValue => ({ type: 'u32', value });
  const string = (value: string): GgufValue => ({ type: 'string', value });
  const special = (name: (typeof SPECIALS)[number]): GgufValue => u32(SPECIALS.indexOf(name));
  const metadata = new Map<string, GgufValue>([
    ['general.architecture', string('bert')],
    ['general.alignment', u32(GGUF_ALIGNMENT)],
    ['general.type', string('model')],
    ['general.name', string(`Pilotlight test model: ${options.name}`)],
    ['general.description', string('Made by a script for tests; it knows nothing.')],
    ['general.license', string('cc0-1.0')],
    ['general.quantization_version', u32(2)],
    ['general.file_type', u32(1)],
    ['bert.vocab_size', u32(tokens.length)],
    ['bert.context_length', u32(EMBED_CONTEXT)],
    ['bert.embedding_length', u32(EMBED_WIDTH)],
    ['bert.block_count', u32(LAYERS)],
    ['bert.feed_forward_length', u32(FEED_FORWARD)],
    ['bert.attention.head_count', u32(HEADS)],
    ['bert.attention.layer_norm_epsilon', { type: 'f32', value: 1e-12 }],
    ['bert.attention.causal', { type: 'bool', value: false }],
    ['tokenizer.ggml.model', string('bert')],
    ['tokenizer.ggml.pre', string('default')],
    ['tokenizer.ggml.token_type_count', u32(2)],
    ['tokenizer.ggml.tokens', { type: 'strings', value: tokens }],
    [
      'tokenizer.ggml.token_type',
      {
        type: 'i32s',
        value: tokens.map((_, id) =>
          id < SPECIALS.length ? TOKEN_TYPE.control : TOKEN_TYPE.normal,
        ),
      },
    ],
    ['tokenizer.ggml.padding_token_id', special('[PAD]')],
    ['tokenizer.ggml.unknown_token_id', special('[UNK]')],
    ['tokenizer.ggml.bos_token_id', special('[CLS]')],
    ['tokenizer.ggml.cls_token_id', special('[CLS]')],
    // The misspelling is the key's real name.
    ['tokenizer.ggml.seperator_token_id', special('[SEP]')],
    ['tokenizer.ggml.mask_token_id', special('[MASK]')],
  ]);
  if (options.pooling !== undefined) {
    metadata.set('bert.pooling_type', u32(POOLING_TYPE[options.pooling]));
  }
  if (options.pooling === 'rank') {
    // As converters write it for `[CLS] query [SEP] document [SEP]`.
    metadata.set('tokenizer.ggml.eos_token_id', special('[SEP]'));
    metadata.set('tokenizer.ggml.add_eos_token', { type: 'bool', value: true });
    metadata.set('tokenizer.ggml.add_sep_token', { type: 'bool', value: false });
  }
  if (options.rerankTemplate !== undefined) {
    metadata.set('tokenizer.chat_template.rerank', string(options.rerankTemplate));
  }
  return metadata;
}
