/** Texts of a wanted number of tokens in the vocabulary of the bench models, where each of these words is one token. */
import { BpeVocabulary } from '../scripts/test-models/bpe-vocab.js';
import { RandomSource } from '../scripts/test-models/random-source.js';

let found: string[] | undefined;

/** Words with the space before them that are one token each, also when a server encodes them again. */
function words(): string[] {
  if (found) return found;
  const vocabulary = new BpeVocabulary();
  found = vocabulary.tokens
    .filter((token) => /^Ġ[a-z]{2,}$/.test(token))
    .map((token) => ` ${token.slice(1)}`)
    .filter((word) => vocabulary.encode(word).length === 1);
  return found;
}

/** The words in an order of their own; the model `edit` says each after the one before it. */
export function chainWords(): string[] {
  return shuffled(words(), new RandomSource('chain'));
}

/** A text of exactly `n` tokens; another one for each seed. */
export function wordText(seed: string, n: number): string {
  const random = new RandomSource(seed);
  const list = words();
  return Array.from({ length: n }, () => list[random.word() % list.length]).join('');
}

/**
 * The first `n` words of the chain with one in `every` changed: a text that the model `edit` gives back corrected.
 */
export function editText(seed: string, n: number, every: number): string {
  const random = new RandomSource(seed);
  const list = words();
  const first = random.word() % every;
  return chainWords()
    .slice(0, n)
    .map((word, i) => (i % every === first ? list[random.word() % list.length] : word))
    .join('');
}

function shuffled(list: readonly string[], random: RandomSource): string[] {
  const result = [...list];
  for (let i = result.length - 1; i > 0; i--) {
    const j = random.word() % (i + 1);
    const [a, b] = [result[i], result[j]];
    if (a !== undefined && b !== undefined) [result[i], result[j]] = [b, a];
  }
  return result;
}
