/**
 * What a request leaves open is filled in here, for all dialects: by the settings of its model, else by what its file
 * recommends (which the engine knows: null), else by the usual values. Pure.
 */
import type { Prompt, SamplingParams } from '../../protocol/engine.js';
import type { ModelSettings } from '../../protocol/settings.js';
import type { GenerationInput } from '../generation/generation.js';

type Penalty = 'presencePenalty' | 'frequencyPenalty' | 'repeatPenalty';

/** Null: left open. */
export type OpenSampling = Omit<SamplingParams, Penalty> & Record<Penalty, number | null>;

/** A request as it came. */
export interface OpenInput extends Omit<GenerationInput, 'sampling'> {
  sampling: OpenSampling;
  /** Of a request that has no `maxTokens`; null: until the model ends or the context is full. */
  fallbackTokens: number | null;
}

export type DefaultSettings = Pick<ModelSettings, 'sampling' | 'system_prompt'>;

export function withDefaults(input: OpenInput, settings: DefaultSettings): GenerationInput {
  const { fallbackTokens, sampling, maxTokens, prompt, ...rest } = input;
  const set = settings.sampling ?? {};
  return {
    ...rest,
    prompt: withSystemPrompt(prompt, settings),
    maxTokens: maxTokens ?? set.max_tokens ?? fallbackTokens,
    sampling: {
      ...sampling,
      temperature: sampling.temperature ?? set.temperature ?? null,
      topP: sampling.topP ?? set.top_p ?? null,
      topK: sampling.topK ?? set.top_k ?? null,
      minP: sampling.minP ?? set.min_p ?? null,
      presencePenalty: sampling.presencePenalty ?? set.presence_penalty ?? 0,
      frequencyPenalty: sampling.frequencyPenalty ?? set.frequency_penalty ?? 0,
      repeatPenalty: sampling.repeatPenalty ?? set.repeat_penalty ?? 1,
    },
  };
}

/** A chat that brings a system message of its own stays as it is. */
export function withSystemPrompt<P extends Prompt>(
  prompt: P,
  { system_prompt: text }: Pick<ModelSettings, 'system_prompt'>,
): P {
  if (prompt.kind !== 'chat' || text === undefined || text === '') return prompt;
  if (prompt.messages.some(({ role }) => role === 'system')) return prompt;
  return { ...prompt, messages: [{ role: 'system', content: text }, ...prompt.messages] };
}
