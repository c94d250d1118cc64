/** The numbers under an answer. Pure. */
import type { AnswerMeasure } from '../../protocol/chats.js';
import type { Exchange, ExchangeEnd } from '../exchange/exchange.js';
import type { LibraryModel } from '../library/model.js';

/** When the text came, on a monotonic clock, in milliseconds. */
export interface Arrival {
  startedAt: number;
  /** Null: nothing came. */
  firstAt: number | null;
  lastAt: number;
}

/** Null: nothing was generated, or nobody has counted it. */
export function measureOf(
  exchange: Exchange,
  end: ExchangeEnd,
  { startedAt, firstAt, lastAt }: Arrival,
  contextOf: (model: LibraryModel) => number | null,
): AnswerMeasure | null {
  const { promptTokens, cachedTokens, outputTokens, timings, totalMs } = end;
  if (!exchange.isCounted || outputTokens === 0) return null;
  const seconds = firstAt === null ? 0 : (lastAt - firstAt) / 1000;
  return {
    prompt_tokens: promptTokens,
    cached_tokens: cachedTokens,
    output_tokens: outputTokens,
    // An upstream says nothing of its times, so they are those at which its text came here.
    ttft_ms: timings?.ttftMs ?? (firstAt === null ? 0 : firstAt - startedAt),
    total_ms: timings?.totalMs ?? totalMs,
    tokens_per_s: timings?.tokensPerSecond ?? (seconds > 0 ? (outputTokens - 1) / seconds : 0),
    context_size: exchange.local === null ? null : contextOf(exchange.local),
  };
}

/** Of an answer that went on: what was written and how long it took, together. */
export function sumOf(before: AnswerMeasure | null, after: AnswerMeasure): AnswerMeasure {
  if (before === null) return after;
  return {
    ...after,
    output_tokens: before.output_tokens + after.output_tokens,
    total_ms: before.total_ms + after.total_ms,
  };
}
