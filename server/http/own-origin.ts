import type { Request } from 'express';
import { ApiError } from './errors.js';

/**
 * Pages of other origins may be allowed to use the API. Whoever wrote them is not the person whose machine this is.
 * @param what They may not do, such as "use the inspector".
 * @throws ApiError 403
 */
export function refuseForeignPage({ headers }: Request, what: string): void {
  if (headers.origin === undefined || isSameOrigin(headers.origin, headers.host ?? '')) return;
  throw new ApiError(403, `Web pages of other origins may not ${what}.`, {
    code: 'origin_not_allowed',
  });
}

function isSameOrigin(origin: string, host: string): boolean {
  return /^https?:\/\/(.*)$/i.exec(origin)?.[1]?.toLowerCase() === host.toLowerCase();
}
