/**
 * Metadata of a llama-architecture chat model with a BpeVocabulary, shared by the random and the
 * wired models.
 */
import { type BpeVocabulary, END_OF_TEXT, TOKEN_TYPE, TURN_END } from './bpe-vocab.js';
import { GGUF_ALIGNMENT, type GgufValue } from './gguf-writer.js';

export interface LlamaShape {
  layers: number;
  /** Width of the residual stream. */
  width: number;
  heads: number;
  /** Key and value heads; divides `heads`. */
  kvHeads: number;
  headWidth: number;
  /** Width of the feed-forward layer. */
  feedForward: number;
  /** Tokens. */
  context: number;
  ropeBase: number;
}

/** Values of `general.file_type`: which format most matrices have. */
const FILE_TYPE = { f32: 0, f16: 1, q8_0: 7, q2_k: 10 } as const;

/** `template` undefined leaves the chat template out of the file. */
export function llamaMetadata(options: {
  name: string;
  architecture: string;
  shape: LlamaShape;
  format: keyof typeof FILE_TYPE;
  vocabulary: BpeVocabulary;
  template: string | undefined;
}): Map<string, GgufValue> {
  const { shape, vocabulary, architecture: arch } = options;
  const u32 = (value: number): GgufValue => ({ type: 'u32', value });
  const f32 = (value: number): GgufValue => ({ type: 'f32', value });
  const string = (value: string): GgufValue => ({ type: 'string', value });
  const metadata = new Map<string, GgufValue>([
    ['general.architecture', string(arch)],
    ['general.alignment', u32(GGUF_ALIGNMENT)],
    ['general.type', string('model')],
    ['general.name', string(`Pilotlight test model: ${options.name}`)],
    ['general.description', string('Made by a script for tests; it knows nothing.')],
    ['general.license', string('cc0-1.0')],
    ['general.quantization_version', u32(2)],
    ['general.file_type', u32(FILE_TYPE[options.format])],
    [`${arch}.vocab_size`, u32(vocabulary.tokens.length)],
    [`${arch}.context_length`, u32(shape.context)],
    [`${arch}.embedding_length`, u32(shape.width)],
    [`${arch}.block_count`, u32(shape.layers)],
    [`${arch}.feed_forward_length`, u32(shape.feedForward)],
    [`${arch}.attention.head_count`, u32(shape.heads)],
    [`${arch}.attention.head_count_kv`, u32(shape.kvHeads)],
    [`${arch}.attention.key_length`, u32(shape.headWidth)],
    [`${arch}.attention.value_length`, u32(shape.headWidth)],
    [`${arch}.attention.layer_norm_rms_epsilon`, f32(1e-5)],
    [`${arch}.rope.dimension_count`, u32(shape.headWidth)],
    [`${arch}.rope.freq_base`, f32(shape.ropeBase)],
    ['tokenizer.ggml.model', string('gpt2')],
    ['tokenizer.ggml.pre', string('smollm')],
    ['tokenizer.ggml.tokens', { type: 'strings', value: vocabulary.tokens }],
    ['tokenizer.ggml.token_type', { type: 'i32s', value: vocabulary.types }],
    ['tokenizer.ggml.merges', { type: 'strings', value: vocabulary.merges }],
    ['tokenizer.ggml.bos_token_id', u32(vocabulary.id(END_OF_TEXT))],
    ['tokenizer.ggml.eos_token_id', u32(vocabulary.id(TURN_END))],
    ['tokenizer.ggml.padding_token_id', u32(vocabulary.id(END_OF_TEXT))],
    ['tokenizer.ggml.add_bos_token', { type: 'bool', value: false }],
    ['tokenizer.ggml.add_eos_token', { type: 'bool', value: false }],
  ]);
  if (options.template !== undefined) {
    metadata.set('tokenizer.chat_template', string(options.template));
  }
  return metadata;
}

/** Ids of the tokens that a model may write freely: visible ASCII, space and line feed. */
export function plainTextIds(vocabulary: BpeVocabulary): Set<number> {
  const plain = new Set<number>();
  vocabulary.tokens.forEach((_, id) => {
    if (vocabulary.types[id] !== TOKEN_TYPE.normal) return;
    if (vocabulary.bytes(id).every((byte) => (byte >= 32 && byte < 127) || byte === 10)) {
      plain.add(id);
    }
  });
  return plain;
}
