/** What is sent: prompts of a wanted length, and the bodies of the requests. */
import type { Protocol } from './api.js';

/** Common words, a token each in most vocabularies. */
const WORDS =
  `sea light house rock land wind rain night day ship boat captain keeper lamp oil fire letter paper
   book story child mother water river road town door window table chair bread salt morning evening
   winter summer spring bird tree field stone hill cloud star moon sun north south east west home
   long short old new small great warm cold deep bright quiet open first last`.split(/\s+/);

/** About what the beginning of a prompt takes, which makes each another one, with the chat template's own. */
const OTHER_TOKENS = 20;

/**
 * How many words make a prompt of about so many tokens.
 * @param counted tokens of a prompt with `n_words` words, as the server counts them; null: not known
 */
export function wordsFor(
  n_tokens: number,
  counted: { n_words: number; n_tokens: number } | null,
): number {
  const perWord =
    counted === null ? 1 : Math.max(0.1, (counted.n_tokens - OTHER_TOKENS) / counted.n_words);
  return Math.max(1, Math.round((n_tokens - OTHER_TOKENS) / perWord));
}

/** @param mark comes first, so that no server finds the prompt in its cache */
export function wordPrompt(mark: string, n_words: number): string {
  // With a stride that shares no divisor with their number all words come before one comes again.
  const words = Array.from({ length: n_words }, (_, i) => WORDS[(i * 7) % WORDS.length]);
  return `${mark}: ${words.join(' ')}`;
}

export interface RequestShape {
  protocol: Protocol;
  /** Null: not named, the server chooses. */
  model: string | null;
  maxTokens: number;
  /** Ask OpenAI's protocols for the usage. */
  usage: boolean;
  /** Further fields; they replace ours of the same name, but for `stream`. */
  fields: Record<string, unknown>;
}

export function requestBody(shape: RequestShape, prompt: string): Record<string, unknown> {
  const { protocol, model, maxTokens, usage, fields } = shape;
  return {
    ...(model === null ? {} : { model }),
    ...(protocol === 'completions'
      ? { prompt }
      : { messages: [{ role: 'user', content: prompt }] }),
    max_tokens: maxTokens,
    temperature: 0,
    ...(usage && protocol !== 'typed' ? { stream_options: { include_usage: true } } : {}),
    ...fields,
    stream: true,
  };
}
