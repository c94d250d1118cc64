import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BpeVocabulary, learnMerges, TOKEN_TYPE, TURN_END, TURN_START } from './bpe-vocab.js';

const vocabulary = new BpeVocabulary();
const text = (ids: readonly number[]): string => Buffer.from(vocabulary.decode(ids)).toString();
const pieces = (input: string): string[] => vocabulary.encode(input).map((id) => text([id]));

describe('BpeVocabulary', () => {
  it('decodes what it encodes, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), (input) => {
        expect(text(vocabulary.encode(input))).toBe(input);
      }),
    );
  });

  it('encodes known words as one token and unknown ones in parts', () => {
    expect(pieces('The weather, computer')).toEqual(['The', ' weather', ',', ' computer']);
    expect(vocabulary.encode('Zyzzyva').length).toBeGreaterThan(3);
  });

  it('encodes each digit alone', () => {
    expect(pieces('in 2024')).toEqual(['in', ' ', '2', '0', '2', '4']);
  });

  it('finds special tokens in text', () => {
    expect(pieces(`${TURN_START}assistant\n`)).toEqual([TURN_START, 'assistant', '\n']);
    expect(pieces('<think>\n\n</think>\n\n')).toEqual(['<think>', '\n\n', '</think>', '\n\n']);
    expect(pieces('<thin>')).not.toContain('<thin>');
  });

  it('has every byte as a token', () => {
    for (let byte = 0; byte < 256; byte++) {
      expect(vocabulary.bytes(vocabulary.id(Uint8Array.of(byte)))).toEqual(Uint8Array.of(byte));
    }
  });

  it('marks control and user-defined tokens', () => {
    expect(vocabulary.types[vocabulary.id(TURN_END)]).toBe(TOKEN_TYPE.control);
    expect(vocabulary.types[vocabulary.id('<tool_call>')]).toBe(TOKEN_TYPE.userDefined);
    expect(vocabulary.types[vocabulary.id(' the')]).toBe(TOKEN_TYPE.normal);
  });

  it('has no token twice and a token for every merge', () => {
    expect(new Set(vocabulary.tokens).size).toBe(vocabulary.tokens.length);
    const known = new Set(vocabulary.tokens);
    for (const merge of vocabulary.merges) {
      for (const part of [...merge.split(' '), merge.replace(' ', '')])
        expect(known).toContain(part);
    }
  });

  it('adds pieces that no merge makes, without using them to encode', () => {
    const extended = new BpeVocabulary(['ta ga', Uint8Array.of(0xa2, 0xe5), ' the']);
    expect(extended.tokens.length).toBe(vocabulary.tokens.length + 2);
    expect(Buffer.from(extended.bytes(extended.id('ta ga'))).toString()).toBe('ta ga');
    expect(extended.bytes(extended.id(Uint8Array.of(0xa2, 0xe5)))).toEqual(
      Uint8Array.of(0xa2, 0xe5),
    );
    expect(extended.encode('ta ga')).not.toContain(extended.id('ta ga'));
  });

  it('refuses pieces and ids that it does not have', () => {
    expect(() => vocabulary.id('no such piece')).toThrow('no single token for "no such piece"');
    expect(() => vocabulary.bytes(-1)).toThrow('no token -1');
  });
});

describe('learnMerges', () => {
  it('joins the most frequent pair first and breaks ties by order', () => {
    expect(learnMerges('ab ab ab cd', 3)).toEqual(['a b', 'Ġ ab', 'c d']);
  });

  it('stops when every word is one token', () => {
    expect(learnMerges('aa', 100)).toEqual(['a a']);
  });
});
