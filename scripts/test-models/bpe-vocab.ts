/**
 * A byte-level BPE vocabulary in GPT-2's form (tokenizer model "gpt2", pre-tokenizer "smollm"):
 * special tokens, the 256 bytes, merges learned from the corpus, and pieces that a wired model
 * wants as single tokens.
 */
import { CORPUS } from './corpus.js';

/** Token types as GGUF stores them in `tokenizer.ggml.token_type`. */
export const TOKEN_TYPE = { normal: 1, control: 3, userDefined: 4 } as const;

/** Ends a document; never sampled by a wired model. */
export const END_OF_TEXT = '<|endoftext|>';
export const TURN_START = '<|im_start|>';
/** Ends a turn: the end-of-generation token of every chat model made here. */
export const TURN_END = '<|im_end|>';

/**
 * Control tokens have no text of their own; user-defined ones are found in text and shown as text.
 */
const SPECIALS: ReadonlyMap<string, number> = new Map([
  [END_OF_TEXT, TOKEN_TYPE.control],
  [TURN_START, TOKEN_TYPE.control],
  [TURN_END, TOKEN_TYPE.control],
  ['<tool_call>', TOKEN_TYPE.userDefined],
  ['</tool_call>', TOKEN_TYPE.userDefined],
  ['<tool_response>', TOKEN_TYPE.userDefined],
  ['</tool_response>', TOKEN_TYPE.userDefined],
  ['<tools>', TOKEN_TYPE.userDefined],
  ['</tools>', TOKEN_TYPE.userDefined],
  ['<think>', TOKEN_TYPE.userDefined],
  ['</think>', TOKEN_TYPE.userDefined],
]);

const MERGE_COUNT = 1200;
/** A paragraph break is one token, as in most vocabularies; a trailing one in a prompt needs it. */
const PARAGRAPH_MERGE = 'Ċ Ċ';
const SPECIAL_PATTERN = /(<\|?\/?[a-z_]+\|?>)/;
const WORD_PATTERN = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;

export class BpeVocabulary {
  /** Token texts by id, bytes written in GPT-2's printable alphabet. */
  readonly tokens: readonly string[];
  /** Token types by id (TOKEN_TYPE). */
  readonly types: readonly number[];
  /** Pairs "left right" in the order of their rank. */
  readonly merges: readonly string[];
  private readonly ids: ReadonlyMap<string, number>;
  private readonly ranks: ReadonlyMap<string, number>;

  /**
   * `pieces` become tokens of their own when no merge makes them; text is never encoded into those.
   */
  constructor(pieces: readonly (string | Uint8Array)[] = []) {
    const types = new Map(SPECIALS);
    for (const char of BYTE_CHARS) types.set(char, TOKEN_TYPE.normal);
    this.merges = corpusMerges();
    for (const merge of this.merges) types.set(merge.replace(' ', ''), TOKEN_TYPE.normal);
    for (const piece of pieces) {
      const text = pieceText(piece);
      if (!types.has(text)) types.set(text, TOKEN_TYPE.normal);
    }
    this.tokens = [...types.keys()];
    this.types = [...types.values()];
    this.ids = new Map(this.tokens.map((token, id) => [token, id]));
    this.ranks = new Map(this.merges.map((merge, rank) => [merge, rank]));
  }

  /**
   * The id of one token given as text, bytes or the name of a special. Throws RangeError when there
   * is none.
   */
  id(piece: string | Uint8Array): number {
    const id = this.ids.get(pieceText(piece));
    if (id === undefined) throw new RangeError(`no single token for ${JSON.stringify(piece)}`);
    return id;
  }

  /** The bytes that a token stands for; a special's bytes are its name. */
  bytes(id: number): Uint8Array {
    const token = this.tokens[id];
    if (token === undefined) throw new RangeError(`no token ${id}`);
    if (SPECIALS.has(token)) return Buffer.from(token, 'utf8');
    return Uint8Array.from(token, (char) => CHAR_BYTES.get(char) ?? 0);
  }

  /** Token ids of a text; names of special tokens in it become those tokens. */
  encode(text: string): number[] {
    return text.split(SPECIAL_PATTERN).flatMap((part) => {
      if (SPECIALS.has(part)) return [this.id(part)];
      return splitWords(part).flatMap((word) => this.encodeWord(word));
    });
  }

  /** The bytes of all the tokens, one after another. */
  decode(ids: readonly number[]): Uint8Array {
    return Buffer.concat(ids.map((id) => this.bytes(id)));
  }

  private encodeWord(word: string): number[] {
    const parts = [...byteText(Buffer.from(word, 'utf8'))];
    for (;;) {
      let best = -1;
      let bestRank = Number.POSITIVE_INFINITY;
      for (let i = 0; i + 1 < parts.length; i++) {
        const rank = this.ranks.get(`${parts[i]} ${parts[i + 1]}`);
        if (rank !== undefined && rank < bestRank) [best, bestRank] = [i, rank];
      }
      if (best < 0) return parts.map((part) => this.ids.get(part) ?? 0);
      parts.splice(best, 2, `${parts[best]}${parts[best + 1]}`);
    }
  }
}

/**
 * GPT-2's alphabet: printable Latin-1 bytes stand for themselves, the others follow from U+0100.
 */
const BYTE_CHARS: readonly string[] = (() => {
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
    return String.fromCharCode(printable ? byte : next++);
  });
})();

const CHAR_BYTES: ReadonlyMap<string, number> = new Map(
  BYTE_CHARS.map((char, byte) => [char, byte]),
);

function byteText(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => BYTE_CHARS[byte]).join('');
}

function pieceText(piece: string | Uint8Array): string {
  if (typeof piece !== 'string') return byteText(piece);
  return SPECIALS.has(piece) ? piece : byteText(Buffer.from(piece, 'utf8'));
}

/** The pre-tokenizer: every digit alone, then words with the space before them. */
function splitWords(text: string): string[] {
  return text
    .split(/(\p{N})/u)
    .flatMap((part) => (/^\p{N}$/u.test(part) ? [part] : (part.match(WORD_PATTERN) ?? [])));
}

let learned: readonly string[] | undefined;

function corpusMerges(): readonly string[] {
  learned ??= [PARAGRAPH_MERGE, ...learnMerges(CORPUS, MERGE_COUNT)];
  return learned;
}

/**
 * Byte-pair encoding: joins the most frequent neighbouring pair, `count` times or until every word
 * is one token. Ties go to the pair that sorts first, so the result does not depend on the order of
 * a hash table.
 */
export function learnMerges(text: string, count: number): string[] {
  const frequencies = new Map<string, number>();
  for (const word of splitWords(text)) frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
  const words = [...frequencies].map(([word, n]) => ({
    parts: [...byteText(Buffer.from(word, 'utf8'))],
    n,
  }));
  const merges: string[] = [];
  while (merges.length < count) {
    const pairs = new Map<string, number>();
    for (const { parts, n } of words) {
      for (let i = 0; i + 1 < parts.length; i++) {
        const pair = `${parts[i]} ${parts[i + 1]}`;
        pairs.set(pair, (pairs.get(pair) ?? 0) + n);
      }
    }
    let best = '';
    let bestCount = 0;
    for (const [pair, n] of pairs) {
      if (n > bestCount || (n === bestCount && pair < best)) [best, bestCount] = [pair, n];
    }
    if (best === '') break;
    merges.push(best);
    for (const word of words) join(word.parts, best);
  }
  return merges;
}

function join(parts: string[], pair: string): void {
  for (let i = 0; i + 1 < parts.length; i++) {
    if (`${parts[i]} ${parts[i + 1]}` === pair) parts.splice(i, 2, pair.replace(' ', ''));
  }
}
