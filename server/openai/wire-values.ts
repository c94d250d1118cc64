/** Values that a stream and a collected answer share: reasons, usage, timings, log probabilities. Pure. */
import type { EngineEvent, FinishReason, Timings, TokenLogprob } from '../../protocol/engine.js';
import type {
  Usage,
  WireFinishReason,
  WireLogprob,
  WireTimings,
  WireTokenLogprob,
} from '../../protocol/openai.js';
import { GenerationError } from '../generation/generation.js';

export type DoneEvent = Extract<EngineEvent, { type: 'done' }>;

/** The only place where reasons of the engine become reasons of the wire. */
const WIRE_FINISH_REASON: Record<FinishReason, WireFinishReason> = {
  eog: 'stop',
  stop_string: 'stop',
  stop_token: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  // Only a client that has gone cancels, so nobody reads this one.
  cancelled: 'stop',
};

export function wireFinishReason(reason: FinishReason): WireFinishReason {
  return WIRE_FINISH_REASON[reason];
}

/** The same for APIs that have no word for calls: their clients see the calls. */
export function stopOrLength(reason: FinishReason): 'stop' | 'length' {
  return reason === 'length' ? 'length' : 'stop';
}

/** @throws GenerationError where one has not ended, which no engine allows. */
export function endsOf(
  answers: readonly { done: DoneEvent | null }[],
): [DoneEvent, ...DoneEvent[]] {
  const [first, ...rest] = answers.map(({ done }) => {
    if (done === null) {
      throw new GenerationError('engine_failed', 'The answer ended without an end.');
    }
    return done;
  });
  if (!first) throw new TypeError('expected at least one answer');
  return [first, ...rest];
}

/**
 * @param ends Of all choices of all prompts.
 * @param choices Of each prompt, which counts once: as its first choice had it.
 */
export function wireUsage(ends: readonly DoneEvent[], choices = ends.length): Usage {
  const firsts = ends.filter(({ seq }) => seq % choices === 0);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const promptTokens = sum(firsts.map((done) => done.promptTokens));
  const outputTokens = sum(ends.map((done) => done.outputTokens));
  return {
    prompt_tokens: promptTokens,
    completion_tokens: outputTokens,
    total_tokens: promptTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: sum(firsts.map((done) => done.cachedTokens)) },
  };
}

const thousandths = (value: number) => Math.round(value * 1000) / 1000;

export function wireTimings(timings: Timings): WireTimings {
  return {
    queue_ms: thousandths(timings.queueMs),
    prefill_ms: thousandths(timings.prefillMs),
    ttft_ms: thousandths(timings.ttftMs),
    total_ms: thousandths(timings.totalMs),
    tokens_per_s: thousandths(timings.tokensPerSecond),
    drafted_tokens: timings.draftedTokens,
    accepted_tokens: timings.acceptedTokens,
  };
}

const decoder = new TextDecoder();

/** @param logprobs The token itself, then the most likely ones; at least the first. */
export function wireLogprob(logprobs: readonly TokenLogprob[]): WireTokenLogprob {
  const [own, ...top] = logprobs.map(wireEntry);
  if (!own) throw new TypeError('expected the log probability of at least the token itself');
  return { ...own, top_logprobs: top };
}

/** JSON has no infinity, which a token that cannot come has; the reference tells it as -9999. */
const IMPOSSIBLE = -9999;

export function wireLogprobValue(logprob: number): number {
  return Number.isFinite(logprob) ? logprob : IMPOSSIBLE;
}

function wireEntry({ logprob, bytes }: TokenLogprob): WireLogprob {
  return {
    token: decoder.decode(bytes),
    logprob: wireLogprobValue(logprob),
    bytes: [...bytes],
  };
}
