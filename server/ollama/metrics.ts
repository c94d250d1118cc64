/** How an answer ended and how long it took, in Ollama's units. Pure. */
import type { FinishReason } from '../../protocol/engine.js';
import type { OllamaMetrics } from '../../protocol/ollama.js';
import type { DoneEvent } from '../openai/wire-values.js';

const DONE_REASON: Record<FinishReason, OllamaMetrics['done_reason']> = {
  eog: 'stop',
  stop_string: 'stop',
  stop_token: 'stop',
  length: 'length',
  // Clients see the calls; this API has no reason of its own for them.
  tool_calls: 'stop',
  // Only a client that has gone cancels, so nobody reads this one.
  cancelled: 'stop',
};

/** Milliseconds → whole nanoseconds. */
export function nanoseconds(ms: number): number {
  return Math.round(Math.max(0, ms) * 1e6);
}

/** @param loadMs Milliseconds that the request waited for its model. */
export function toMetrics(done: DoneEvent, loadMs: number): OllamaMetrics {
  const { totalMs, queueMs, prefillMs } = done.timings;
  return {
    done_reason: DONE_REASON[done.finishReason],
    total_duration: nanoseconds(loadMs + totalMs),
    load_duration: nanoseconds(loadMs),
    prompt_eval_count: done.promptTokens,
    prompt_eval_duration: nanoseconds(prefillMs),
    eval_count: done.outputTokens,
    eval_duration: nanoseconds(totalMs - queueMs - prefillMs),
  };
}
