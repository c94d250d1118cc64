/**
 * Request lines in absolute form ("GET http://host/path"), which every server must accept (RFC 9112, 3.2.2). Express
 * routes by paths only and remembers the first one it sees, so the line is rewritten before it gets there; the authority
 * is kept for the check of the Host.
 */
import type { IncomingMessage, RequestListener } from 'node:http';

const authorities = new WeakMap<IncomingMessage, string>();

/** Gives `listener` every request with its path only. */
export function withOriginForm(listener: RequestListener): RequestListener {
  return (req, res) => {
    const absolute = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)(.*)$/i.exec(req.url ?? '');
    if (absolute) {
      const rest = absolute[2] ?? '';
      authorities.set(req, absolute[1] ?? '');
      req.url = rest.startsWith('/') ? rest : `/${rest}`;
    }
    listener(req, res);
  };
}

/** The authority of a request line in absolute form; null for the usual form. */
export function authorityOf(req: IncomingMessage): string | null {
  return authorities.get(req) ?? null;
}
