import { z } from 'zod';
import { ApiError } from './error.js';

/** What the server does before the first token. */
export type Progress =
  | { stage: 'loading' /** 0..1 */; fraction: number }
  /** For memory that other models' answers hold. */
  | { stage: 'memory' }
  | { stage: 'queued' /** Requests ahead of this one. */; ahead: number }
  | { stage: 'prefill'; done: number; total: number };

/** Numbers under an answer. */
export interface Measure {
  tokensPerSecond: number | null;
  /** Milliseconds from the request to the first token. */
  firstTokenMs: number | null;
  tokens: number | null;
}

export type ChatEvent =
  | { type: 'progress'; progress: Progress }
  | { type: 'delta'; content: string; reasoning: string }
  | { type: 'finish'; reason: string }
  | { type: 'measure'; measure: Partial<Measure> };

const chunkSchema = z.object({
  choices: z.array(
    z.object({
      delta: z.object({
        content: z.string().nullish(),
        reasoning_content: z.string().nullish(),
      }),
      finish_reason: z.string().nullish(),
    }),
  ),
  usage: z.object({ completion_tokens: z.number() }).nullish(),
  timings: z.object({ tokens_per_s: z.number(), ttft_ms: z.number() }).nullish(),
});

const errorSchema = z.object({
  error: z.object({ message: z.string(), code: z.string().nullish() }),
});

/**
 * The events in the data of one chunk of a streamed chat completion.
 * @throws ApiError for an error the server sent in mid-stream, or for data that is no chunk.
 */
export function readChunk(data: string): ChatEvent[] {
  let json: unknown;
  try {
    json = JSON.parse(data);
  } catch {
    throw unreadable();
  }
  const failure = errorSchema.safeParse(json);
  if (failure.success) {
    const { message, code } = failure.data.error;
    throw new ApiError('broken', message, null, code ?? null);
  }
  const parsed = chunkSchema.safeParse(json);
  if (!parsed.success) throw unreadable();

  const { choices, usage, timings } = parsed.data;
  const events: ChatEvent[] = [];
  const choice = choices[0];
  if (choice) {
    const content = choice.delta.content ?? '';
    const reasoning = choice.delta.reasoning_content ?? '';
    if (content !== '' || reasoning !== '') events.push({ type: 'delta', content, reasoning });
    if (choice.finish_reason) events.push({ type: 'finish', reason: choice.finish_reason });
  }
  if (timings) {
    const { tokens_per_s, ttft_ms } = timings;
    const measure = { tokensPerSecond: tokens_per_s, firstTokenMs: ttft_ms };
    events.push({ type: 'measure', measure });
  }
  if (usage) events.push({ type: 'measure', measure: { tokens: usage.completion_tokens } });
  return events;
}

/** The progress a keep-alive comment tells, or null for any other comment. */
export function readProgress(comment: string): Progress | null {
  const loading = /^loading (\d{1,3}(?:\.\d+)?) ?%/.exec(comment);
  if (loading) return { stage: 'loading', fraction: Math.min(Number(loading[1]) / 100, 1) };
  if (comment === 'waiting for memory') return { stage: 'memory' };
  const queued = /^queued, (\d+) ahead/.exec(comment);
  if (queued) return { stage: 'queued', ahead: Number(queued[1]) };
  const prefill = /^prefill (\d+)\/(\d+)/.exec(comment);
  if (prefill) return { stage: 'prefill', done: Number(prefill[1]), total: Number(prefill[2]) };
  return null;
}

function unreadable(): ApiError {
  return new ApiError('broken', 'The server sent something that cannot be read.');
}
