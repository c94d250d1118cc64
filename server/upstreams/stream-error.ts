/** How each dialect says within a stream that it has failed. Pure. */
import { toAnthropicError } from '../anthropic/dialect.js';
import type { ApiError } from '../http/errors.js';

/** A stream after one of these is whole, however its connection ends. */
const END =
  /^data: ?\[DONE\]|^event: ?(message_stop|error|response\.(completed|failed|incomplete))$|^data: ?\{"(type":"(done|error)"|error":)/m;

const OLLAMA_END = /"done": ?true/;

/** @param told The last whole events or lines. */
export function hasEnded(kind: 'events' | 'lines', told: string): boolean {
  return (kind === 'lines' ? OLLAMA_END : END).test(told);
}

/**
 * One event, or one line.
 * @param path Of the route.
 * @param told The last events: Responses count theirs.
 */
export function streamError(
  kind: 'events' | 'lines',
  path: string,
  error: ApiError,
  requestId: string,
  told: string,
): string {
  const { message, param } = error;
  const code = error.code ?? 'upstream_failed';
  if (kind === 'lines') return `${JSON.stringify({ error: message })}\n`;
  if (path.startsWith('/v1/messages')) {
    return named(JSON.stringify(toAnthropicError(error, requestId)));
  }
  if (path.startsWith('/v1/responses')) {
    const last = [...told.matchAll(/"sequence_number":(\d+)/g)].at(-1)?.[1];
    const number = last === undefined ? 0 : Number(last) + 1;
    return named(JSON.stringify({ type: 'error', code, message, param, sequence_number: number }));
  }
  if (path === '/v1/generate')
    return `data: ${JSON.stringify({ type: 'error', code, message })}\n\n`;
  return `data: ${JSON.stringify(error.body())}\n\n`;
}

const named = (data: string) => `event: error\ndata: ${data}\n\n`;
