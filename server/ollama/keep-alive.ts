/** `keep_alive`: how long a model stays loaded after a request. */
import { IDLE_TTL_MAX } from '../../protocol/settings.js';
import { invalidRequest } from '../http/errors.js';

const SECONDS: Record<string, number> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3600,
};

/** Parts of a duration as Go writes them, such as "1h30m" or "-1s". */
const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/g;

/**
 * Seconds that a model stays without a request, 0: it leaves after this one; null: it stays; undefined: nothing is said.
 * @throws ApiError 400 where it is no duration.
 */
export function toTtl(keepAlive: number | string | null | undefined): number | null | undefined {
  if (keepAlive == null) return undefined;
  const seconds = toSeconds(keepAlive);
  return seconds < 0 ? null : Math.min(seconds, IDLE_TTL_MAX);
}

function toSeconds(keepAlive: number | string): number {
  if (typeof keepAlive === 'number') return keepAlive;
  const text = keepAlive.trim();
  if (/^[+-]?\d+(\.\d+)?$/.test(text)) return Number(text);
  const [, sign = '', parts = ''] = /^([+-]?)(.+)$/s.exec(text) ?? [];
  if (parts === '' || parts.replace(PART, '') !== '') {
    throw invalidRequest(
      `keep_alive must be a number of seconds or a duration such as "5m"; received ${JSON.stringify(keepAlive.slice(0, 40))}.`,
      'keep_alive',
    );
  }
  let seconds = 0;
  for (const [, count, unit] of parts.matchAll(PART)) {
    seconds += Number(count) * (SECONDS[unit ?? ''] ?? 0);
  }
  return sign === '-' ? -seconds : seconds;
}
