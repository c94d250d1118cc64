/**
 * Who may change what belongs to the machine, such as folders, settings and downloads, or see where things are on it:
 * programs that run on it, and the person from elsewhere with a key that only they have.
 */
import type { NextFunction, Request, Response } from 'express';
import { ApiError } from './errors.js';
import { isLoopback, urlHost } from './guard.js';
import { refuseForeignPage } from './own-origin.js';
import { factsOf } from './request-log.js';

/** What proxies say of the machine that they ask for; programs of this machine have no reason to. */
const PROXY_HEADERS = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'] as const;

/** To come after the guard of Host and Origin and after that of keys. */
export function localGuard(req: Request, res: Response, next: NextFunction): void {
  if (!isLocal(req) && factsOf(res).isOwner !== true) {
    throw new ApiError(
      403,
      'This can be seen and changed only on the machine that Pilotlight runs on, or with the key that ' +
        '"pilotlight inspector key" prints there. No API key opens it.',
      { code: 'local_only' },
    );
  }
  refuseForeignPage(req, 'see or change what belongs to this machine');
  next();
}

/** A proxy on this machine connects from it too, for others: it is known by the name it serves, or by what it adds. */
function isLocal({ socket, headers }: Request): boolean {
  const name = (headers.host ?? '').replace(/:\d+$/, '');
  return (
    isLoopback(urlHost(socket.remoteAddress ?? '')) &&
    isLoopback(name) &&
    PROXY_HEADERS.every((header) => headers[header] === undefined)
  );
}
