/** Who may use the inspector: the person whose machine this is, and nobody whom they gave a key to the API. */
import type { NextFunction, Request, Response } from 'express';
import { ApiError } from '../http/errors.js';
import { refuseForeignPage } from '../http/own-origin.js';
import { factsOf } from '../http/request-log.js';

/** To come after the guard of Host and Origin and after that of keys. */
export function ownerGuard(req: Request, res: Response, next: NextFunction): void {
  if (factsOf(res).isOwner !== true) {
    throw new ApiError(
      403,
      "The inspector is for the person whose machine this is: it opens in Pilotlight's own window, " +
        'and with the key that "pilotlight inspector key" prints. No API key opens it.',
      { code: 'owner_key_needed' },
    );
  }
  refuseForeignPage(req, 'use the inspector');
  // A browser would keep prompts on its disk.
  res.set('cache-control', 'no-store');
  next();
}
