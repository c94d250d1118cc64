import { ApiError } from '../api/error.js';
import type { Failure } from './conversation.js';

const titles: Record<string, string> = {
  model_not_found: 'This model is no longer there',
  model_invalid: 'This file cannot run as a model',
  queue_full: 'The server is busy',
  engine_crashed: 'The model stopped unexpectedly',
  engine_failed: 'The model stopped unexpectedly',
  out_of_memory: 'There is not enough memory',
  shutting_down: 'The server is shutting down',
};

/** What the person reads about a failed request, and what helps. */
export function failureOf(cause: unknown): Failure {
  if (!(cause instanceof ApiError)) {
    const message = cause instanceof Error ? cause.message : String(cause);
    return { title: 'Something went wrong', message, remedy: 'retry' };
  }
  const { kind, status, code, message, retryAfter } = cause;
  if (status === 401) {
    return { title: 'A key is needed', message: 'This server opens with a key.', remedy: 'key' };
  }
  if (code === 'context_length_exceeded') {
    return { title: 'This chat is too long for the model', message, remedy: 'new-chat' };
  }
  const wait = retryAfter === null ? '' : ` Try again in ${seconds(retryAfter)}.`;
  return { title: titleOf(kind, status, code), message: message + wait, remedy: 'retry' };
}

function titleOf(kind: ApiError['kind'], status: number | null, code: string | null): string {
  const known = code === null ? undefined : titles[code];
  if (known) return known;
  if (kind === 'unreachable') return 'The server is not answering';
  if (kind === 'broken') return 'The answer broke off';
  if (status === 429) return 'The server is busy';
  if (status === 503) return 'The model could not be loaded';
  return 'The server refused this';
}

function seconds(count: number): string {
  return count === 1 ? 'a second' : `${count} seconds`;
}
