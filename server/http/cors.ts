/**
 * Cross-origin requests of web pages that the person has allowed (--allow-origin), as the Fetch standard has them
 * (https://fetch.spec.whatwg.org/#http-cors-protocol). Never with credentials: a page must bring a key in a header.
 */
import type { NextFunction, Request, Response } from 'express';
import { RECEIPT_HEADER } from '../../protocol/ledger.js';
import { UPSTREAM_HEADERS } from '../upstreams/headers.js';

/** Any origin, in the list of those that are allowed. */
export const ANY_ORIGIN = '*';

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';

/** Seconds that a browser may remember the answer to a preflight; browsers cap it at ten minutes to a day. */
const MAX_AGE_S = 600;

/** Response headers that scripts may read besides the few that they always may. */
const EXPOSED = [
  ...['x-request-id', 'request-id', RECEIPT_HEADER, 'x-pilotlight-ignored', 'retry-after'],
  ...UPSTREAM_HEADERS,
].join(', ');

const HEADER_NAME = /^[a-z0-9-]{1,100}$/i;

/** "null" is what any sandboxed frame, file or redirect says, and so never stands for somebody. */
export function allowsOrigin(origins: ReadonlySet<string>, origin: string): boolean {
  if (origin === 'null' || !/^[a-z][a-z0-9+.-]*:\/\/[^\s/]/i.test(origin)) return false;
  return origins.has(ANY_ORIGIN) || origins.has(origin.toLowerCase());
}

/** Answers preflights and marks answers as readable. Must come after the check of Host and Origin, before that of keys. */
export function cors(allowed: () => ReadonlySet<string>) {
  return (req: Request, res: Response, next: NextFunction): void => {
    const origins = allowed();
    if (origins.size === 0) {
      next();
      return;
    }
    res.vary('Origin');
    const { origin } = req.headers;
    if (origin === undefined || !allowsOrigin(origins, origin)) {
      next();
      return;
    }
    res.set('access-control-allow-origin', origin);
    if (req.method !== 'OPTIONS' || req.headers['access-control-request-method'] === undefined) {
      res.set('access-control-expose-headers', EXPOSED);
      next();
      return;
    }
    preflight(req, res);
  };
}

function preflight({ headers }: Request, res: Response): void {
  const wanted = headers['access-control-request-headers'] ?? '';
  const names = wanted.split(',').map((name) => name.trim());
  res.set('access-control-allow-methods', METHODS);
  res.set('access-control-max-age', String(MAX_AGE_S));
  res.vary('Access-Control-Request-Headers');
  if (names.every((name) => HEADER_NAME.test(name))) {
    res.set('access-control-allow-headers', names.join(', '));
  }
  if (headers['access-control-request-private-network'] === 'true') {
    res.set('access-control-allow-private-network', 'true');
  }
  res.status(204).end();
}
