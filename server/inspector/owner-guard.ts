/** Who may use the inspector: the person whose machine this is, and nobody whom they gave a key to the API. */
import type { NextFunction, Request, Response } from 'express';
import { ApiError } from '../http/errors.js';
import { factsOf } from '../http/request-log.js';

/** To come after the guard of Host and Origin and after that of keys. */
export function ownerGuard({ headers }: Request, res: Response, next: NextFunction): void {
  if (factsOf(res).isOwner !== true) {
    throw new ApiError(
      403,
      "The inspector is for the person whose machine this is: it opens in Pilotlight's own window, " +
        'and with the key that "pilotlight inspector key" prints. No API key opens it.',
      { code: 'owner_key_needed' },
    );
  }
  // Pages of other origins may be allowed to use the API. Whoever wrote them is not the person either.
  if (headers.origin !== undefined && !isSameOrigin(headers.origin, headers.host ?? '')) {
    throw new ApiError(403, 'Web pages of other origins may not use the inspector.', {
      code: 'origin_not_allowed',
    });
  }
  // A browser would keep prompts on its disk.
  res.set('cache-control', 'no-store');
  next();
}

function isSameOrigin(origin: string, host: string): boolean {
  return /^https?:\/\/(.*)$/i.exec(origin)?.[1]?.toLowerCase() === host.toLowerCase();
}
