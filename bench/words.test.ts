import { expect, it } from 'vitest';
import { BpeVocabulary } from '../scripts/test-models/bpe-vocab.js';
import { chainWords, editText, wordText } from './words.js';

const vocabulary = new BpeVocabulary();

it('makes texts of exactly the wanted number of tokens, another one for each seed', () => {
  for (const n of [1, 47, 504, 3992]) {
    expect(vocabulary.encode(wordText('a', n))).toHaveLength(n);
  }
  expect(wordText('a', 40)).toBe(wordText('a', 40));
  expect(wordText('a', 40)).not.toBe(wordText('b', 40));
});

it('has each word once in the chain', () => {
  const words = chainWords();
  expect(new Set(words).size).toBe(words.length);
  expect(words.length).toBeGreaterThanOrEqual(280);
});

it('changes one word in so many of the text to edit', () => {
  const words = editText('a', 280, 40).split(/(?= )/);
  const chain = chainWords();
  expect(vocabulary.encode(words.join(''))).toHaveLength(280);
  const changed = words.filter((word, i) => word !== chain[i]);
  expect(changed).toHaveLength(7);
});
