import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SamplingDefaults } from '../../protocol/sampling-defaults.js';
import { chatPrompt } from '../generation/test-generation.js';
import { type OpenInput, withDefaults, withSystemPrompt } from './defaults.js';
import { toShared } from './sampling.js';

const asked = fc.record(
  {
    ...{ temperature: fc.constantFrom(0, 0.5), top_p: fc.constantFrom(0, 0.9) },
    ...{ top_k: fc.constantFrom(0, 7), min_p: fc.constantFrom(0, 0.1) },
    ...{ presence_penalty: fc.constantFrom(-1, 0), frequency_penalty: fc.constantFrom(0, 1) },
    ...{ repeat_penalty: fc.constantFrom(1, 1.1), max_tokens: fc.constantFrom(1, 9) },
  },
  { requiredKeys: [] },
);

const USUAL = { presence_penalty: 0, frequency_penalty: 0, repeat_penalty: 1 };

function input(request: SamplingDefaults, fallbackTokens: number | null): OpenInput {
  return { prompt: chatPrompt('Hi.'), grammar: null, ...toShared(request, fallbackTokens, null) };
}

describe('what a request leaves open', () => {
  it('is as its model is set, then as usual; what it says holds, zeros too', () => {
    fc.assert(
      fc.property(asked, asked, fc.constantFrom(null, 16), (request, sampling, fallback) => {
        const { sampling: got, maxTokens } = withDefaults(input(request, fallback), { sampling });
        const wanted = { ...USUAL, max_tokens: fallback, ...sampling, ...request };
        expect({
          ...{ temperature: got.temperature, top_p: got.topP, top_k: got.topK, min_p: got.minP },
          presence_penalty: got.presencePenalty,
          frequency_penalty: got.frequencyPenalty,
          repeat_penalty: got.repeatPenalty,
          max_tokens: maxTokens,
        }).toEqual({ ...{ temperature: null, top_p: null, top_k: null, min_p: null }, ...wanted });
      }),
    );
  });

  it('is a system prompt for chats that bring none', () => {
    const prompt = chatPrompt('Hi.');
    const system_prompt = 'Be brief.';
    const own = { role: 'system' as const, content: 'Be long.' };
    expect(withSystemPrompt(prompt, { system_prompt }).messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      ...prompt.messages,
    ]);
    const chat = { ...prompt, messages: [own, ...prompt.messages] };
    expect(withSystemPrompt(chat, { system_prompt })).toBe(chat);
    const text = { kind: 'text', text: 'Once' } as const;
    expect(withSystemPrompt(text, { system_prompt })).toBe(text);
    for (const none of [undefined, '']) {
      expect(withSystemPrompt(prompt, { system_prompt: none })).toBe(prompt);
    }
  });
});
