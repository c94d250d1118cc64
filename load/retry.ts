/** When a server that is too busy is asked again. */
import type { Failure } from './ask.js';

/** So often at most for one request. */
export const RETRIES = 5;
/** Milliseconds that are waited where a busy server says nothing. */
const USUAL_MS = 1000;
/** What a server may ask for, in milliseconds; one that wants more is not waited for. */
const LONGEST_MS = 60_000;

export const isBusy = ({ status, retryAfterMs }: Failure) =>
  status === 429 || (status === 503 && retryAfterMs !== null);

/** Milliseconds to wait; null: asking again would not help. */
export function retryDelay(failure: Failure): number | null {
  if (!isBusy(failure)) return null;
  const ms = failure.retryAfterMs ?? USUAL_MS;
  return ms > LONGEST_MS ? null : ms;
}

/** Resolves early where the signal aborts. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted || ms <= 0) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
