import { describe, expect, it } from 'vitest';
import { requestBody, wordPrompt, wordsFor } from './prompts.js';

describe('a prompt', () => {
  it('is another one for each mark, from its beginning on', () => {
    const [a, b] = [wordPrompt('run/1', 30), wordPrompt('run/2', 30)];
    expect(a.split(' ')).toHaveLength(31);
    expect(a.split(' ').slice(1)).toEqual(b.split(' ').slice(1));
    expect(a.startsWith('run/1: ')).toBe(true);
  });

  it('repeats no word before all have come', () => {
    const words = wordPrompt('x', 65).split(' ').slice(1);
    expect(new Set(words).size).toBe(65);
  });

  it('gets the words that make so many tokens, as far as it is known', () => {
    expect(wordsFor(120, null)).toBe(100);
    expect(wordsFor(1, null)).toBe(1);
    // 100 words were 220 tokens, of which 20 are none of words: two for each word.
    expect(wordsFor(1020, { n_words: 100, n_tokens: 220 })).toBe(500);
    expect(wordsFor(64, { n_words: 10, n_tokens: 3 })).toBe(440);
  });
});

describe('a body', () => {
  const shape = { model: null, maxTokens: 5, usage: true, fields: {} };

  it('is that of its protocol', () => {
    const messages = [{ role: 'user', content: 'Hi' }];
    const common = { max_tokens: 5, temperature: 0, stream: true };
    const usage = { stream_options: { include_usage: true } };
    expect(requestBody({ ...shape, protocol: 'typed' }, 'Hi')).toEqual({ messages, ...common });
    expect(requestBody({ ...shape, protocol: 'chat' }, 'Hi')).toEqual({
      ...{ messages, ...common, ...usage },
    });
    expect(requestBody({ ...shape, protocol: 'completions', usage: false }, 'Hi')).toEqual({
      ...{ prompt: 'Hi', ...common },
    });
  });

  it('takes further fields, which replace ours, but is always a stream', () => {
    const fields = { temperature: 1, top_p: 0.5, stream: false };
    expect(requestBody({ ...shape, protocol: 'typed', model: 'm', fields }, 'Hi')).toMatchObject({
      ...{ model: 'm', temperature: 1, top_p: 0.5, stream: true },
    });
  });
});
