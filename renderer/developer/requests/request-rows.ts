/** A request as a row of the list, live or kept. Pure. */
import type { KeptRequest, LiveRequest } from '../../../protocol/inspector.js';

export interface RequestRow {
  id: string;
  model: string | null;
  route: string;
  client: string;
  /** Unix milliseconds. */
  beganAt: number;
  /** How far it is; null: it has ended. */
  stage: LiveRequest['stage'] | null;
  /** 0..1, of loading and prefill. */
  progress: number | null;
  ahead: number | null;
  cancelled: boolean;
  /** Of HTTP; null while it is live. */
  status: number | null;
  promptTokens: number;
  outputTokens: number;
  tokensPerSecond: number;
  totalMs: number | null;
  isReplay: boolean;
  /** There is more to see of it. */
  isInspected: boolean;
}

export function liveRow(request: LiveRequest): RequestRow {
  const { id, model, route, client, stage, progress, ahead, cancelled } = request;
  return {
    ...{ id, model, route, client, stage, progress, ahead, cancelled, beganAt: request.began_at },
    ...{ status: null, totalMs: null, isReplay: false, isInspected: request.inspected },
    promptTokens: request.prompt_tokens,
    outputTokens: request.output_tokens,
    tokensPerSecond: request.tokens_per_s,
  };
}

export function keptRow(request: KeptRequest): RequestRow {
  const { id, model, route, client, status } = request;
  return {
    ...{ id, model, route, client, status, beganAt: request.began_at },
    ...{
      stage: null,
      progress: null,
      ahead: null,
      cancelled: request.finish_reason === 'cancelled',
    },
    ...{ totalMs: request.total_ms, isReplay: request.replay_of !== null, isInspected: true },
    promptTokens: request.prompt_tokens,
    outputTokens: request.output_tokens,
    tokensPerSecond: request.tokens_per_s,
  };
}

/** Rows in which all of the words stand somewhere. */
export function matchingRows(rows: readonly RequestRow[], words: string): RequestRow[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    const { id, model, route, client, stage, status } = row;
    const text = [id, model, route, client, stage, status].join(' ').toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}
