/** Inputs and events for tests. */
import type { EngineEvent, Prompt } from '../../protocol/engine.js';
import type { GenerationInput } from './generation.js';

type ChatPrompt = Extract<Prompt, { kind: 'chat' }>;
type DoneEvent = Extract<EngineEvent, { type: 'done' }>;

export function chatPrompt(content: string): ChatPrompt {
  return {
    kind: 'chat',
    messages: [{ role: 'user', content }],
    enableThinking: true,
    continueFinalMessage: false,
    tools: [],
    toolChoice: 'auto',
    parallelToolCalls: true,
    templateKwargs: {},
  };
}

/** The most likely answer, one choice of it. */
export function greedy(prompt: Prompt, maxTokens: number | null): GenerationInput {
  return {
    prompt,
    grammar: null,
    choices: 1,
    sampling: {
      temperature: 0,
      topP: 1,
      topK: 0,
      minP: 0,
      presencePenalty: 0,
      frequencyPenalty: 0,
      repeatPenalty: 1,
      penalizedTokens: null,
      seed: null,
      logitBias: [],
      logprobs: null,
    },
    maxTokens,
    stop: [],
    priority: 'normal',
    speculation: null,
  };
}

export function doneEvent(values: Partial<DoneEvent> = {}): DoneEvent {
  return {
    type: 'done',
    seq: 0,
    finishReason: 'eog',
    promptTokens: 1,
    cachedTokens: 0,
    outputTokens: 1,
    timings: {
      queueMs: 0,
      prefillMs: 0,
      ttftMs: 0,
      totalMs: 0,
      tokensPerSecond: 0,
      draftedTokens: 0,
      acceptedTokens: 0,
    },
    ...values,
  };
}
