/** Who may use the API: a key in a header, where the server asks for keys. */
import type { NextFunction, Request, Response } from 'express';
import type { ApiKeys } from '../store/api-keys.js';
import { ApiError } from './errors.js';
import { factsOf } from './request-log.js';

/**
 * Keys of a request, from `Authorization: Bearer KEY` and from `x-api-key`, which Anthropic's clients send. Both may be
 * there, one of them left over from another service. Never from the URL, which ends up in logs and histories.
 */
export function keysOf({ headers }: Request): string[] {
  const bearer = /^Bearer +(.*\S) *$/i.exec(headers.authorization ?? '')?.[1];
  const other = headers['x-api-key'];
  return [bearer, typeof other === 'string' && other !== '' ? other : undefined].filter(
    (key) => key !== undefined,
  );
}

/** Whether this request may see more than that there is a server. Says in the log whose key it was. */
export function isAdmitted(keys: ApiKeys, req: Request, res: Response): boolean {
  const holder = keys.holderOf(keysOf(req));
  if (holder !== null) Object.assign(factsOf(res), holder);
  return holder !== null || !keys.needed;
}

/**
 * 401 for requests without a key that is known. Without API keys everyone who can reach the server may use it (loopback
 * only), whatever key the client sends, since many SDKs insist on sending one.
 */
export function keyGuard(keys: ApiKeys) {
  return (req: Request, res: Response, next: NextFunction): void => {
    if (!isAdmitted(keys, req, res)) {
      throw new ApiError(
        401,
        keysOf(req).length === 0
          ? 'This server needs a key: send it as "Authorization: Bearer KEY". ' +
              '"pilotlight keys add NAME" makes one.'
          : 'The API key is not right. "pilotlight keys list" names those that there are, ' +
              '"pilotlight keys add NAME" makes another.',
        { code: 'invalid_api_key', headers: { 'www-authenticate': 'Bearer' } },
      );
    }
    next();
  };
}
