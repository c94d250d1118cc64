/**
 * The switch of the API. While it is off, programs are refused; the person goes on with the window, whose own routes lie
 * under /pilotlight, and with a key of their own everywhere.
 */
import type { NextFunction, Request, Response } from 'express';
import { ApiError } from '../http/errors.js';
import { factsOf } from '../http/request-log.js';
import type { Access } from './access.js';

/** To come after the guard of keys. */
export function apiSwitch(access: Pick<Access, 'isEnabled'>) {
  return (req: Request, res: Response, next: NextFunction): void => {
    const isOwn = req.path.startsWith('/pilotlight/') || factsOf(res).isOwner === true;
    if (!access.isEnabled && !isOwn) {
      throw new ApiError(
        503,
        'This server is switched off for programs. It is switched on in Pilotlight, on the developer page.',
        { code: 'api_off' },
      );
    }
    next();
  };
}
