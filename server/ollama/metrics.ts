/** How an answer ended and how long it took, in Ollama's units. Pure. */
import type { OllamaMetrics } from '../../protocol/ollama.js';
import { type DoneEvent, stopOrLength } from '../openai/wire-values.js';

/** Milliseconds → whole nanoseconds. */
export function nanoseconds(ms: number): number {
  return Math.round(Math.max(0, ms) * 1e6);
}

/** @param loadMs Milliseconds that the request waited for its model. */
export function toMetrics(done: DoneEvent, loadMs: number): OllamaMetrics {
  const { totalMs, queueMs, prefillMs } = done.timings;
  return {
    done_reason: stopOrLength(done.finishReason),
    total_duration: nanoseconds(loadMs + totalMs),
    load_duration: nanoseconds(loadMs),
    prompt_eval_count: done.promptTokens,
    prompt_eval_duration: nanoseconds(prefillMs),
    eval_count: done.outputTokens,
    eval_duration: nanoseconds(totalMs - queueMs - prefillMs),
  };
}
