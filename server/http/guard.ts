/**
 * Who may talk to the server: checks of Host and Origin on every route, and of the key. Against other sites in the
 * person's browser (also by a rebound DNS name) and, on a network, against anyone without a key. No CORS headers are
 * ever sent.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import os from 'node:os';
import type { NextFunction, Request, Response } from 'express';
import { authorityOf } from './absolute-form.js';
import { ApiError, invalidRequest } from './errors.js';

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'];

/** True for the addresses that only this machine can reach. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  return (
    name === 'localhost' || name === '::1' || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name)
  );
}

/** An address as it stands in a URL: IPv6 in brackets, without a zone. */
export function urlHost(address: string): string {
  const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  return bare.includes(':') ? `[${bare.toLowerCase()}]` : bare.toLowerCase();
}

/** Names in Host and Origin that mean this server when it is bound to `host`; lower case, without a port. */
export function ownNames(host: string): Set<string> {
  const names = new Set([...LOOPBACK_NAMES, urlHost(host)]);
  if (isLoopback(host)) return names;
  names.add(os.hostname().toLowerCase());
  names.add(`${os.hostname().toLowerCase()}.local`);
  for (const addresses of Object.values(os.networkInterfaces())) {
    for (const { address } of addresses ?? []) names.add(urlHost(address));
  }
  return names;
}

/** "name", "name:port", "[v6]", "[v6]:port" → name and port; null for anything else. */
function splitAuthority(authority: string): { name: string; port: string | null } | null {
  const match = /^(\[[0-9a-f:.]+\]|[^\s:/?#@[\]]+)(?::(\d{1,5}))?$/i.exec(authority);
  return match?.[1] === undefined
    ? null
    : { name: match[1].toLowerCase().replace(/\.$/, ''), port: match[2] ?? null };
}

export interface HostGuardOptions {
  /** From ownNames. */
  names: ReadonlySet<string>;
  /** The port that the server got; asked at each request, since it is known only once it listens. */
  port: () => number;
}

/** Refuses foreign Hosts and Origins with 403. Must come before every other handler, also before static files. */
export function hostGuard({ names, port }: HostGuardOptions) {
  const isOwn = (authority: string, defaultPort: string): boolean => {
    const parts = splitAuthority(authority);
    if (!parts || !names.has(parts.name)) return false;
    return (parts.port ?? defaultPort) === String(port());
  };
  // A Host without a port is our own name all the same; an Origin without one means port 80.
  const isOwnHost = (authority: string): boolean => isOwn(authority, String(port()));
  const isOwnOrigin = (origin: string): boolean =>
    origin.startsWith('http://') && isOwn(origin.slice('http://'.length), '80');

  return (req: Request, _res: Response, next: NextFunction): void => {
    const hosts = req.rawHeaders.filter(
      (_, i, all) => i % 2 === 1 && /^host$/i.test(all[i - 1] ?? ''),
    );
    const [host] = hosts;
    if (host === undefined || hosts.length > 1) {
      throw invalidRequest('Exactly one Host header is needed.', null, 'invalid_host');
    }
    const authority = authorityOf(req);
    const foreign = [host, ...(authority === null ? [] : [authority])].find(
      (name) => !isOwnHost(name),
    );
    if (foreign !== undefined) {
      throw new ApiError(
        403,
        `The Host "${foreign.slice(0, 100)}" is not this server: use http://127.0.0.1:${port()}.`,
        { code: 'host_not_allowed' },
      );
    }
    const origin = req.headers.origin;
    if (origin !== undefined && !isOwnOrigin(origin)) {
      throw new ApiError(403, `Web pages of "${origin.slice(0, 100)}" may not use this server.`, {
        code: 'origin_not_allowed',
      });
    }
    if (isForeignSubresource(req)) {
      throw new ApiError(403, 'Other web sites may not use this server.', {
        code: 'origin_not_allowed',
      });
    }
    next();
  };
}

/** A browser loads an image, script or the like for a page of another origin; such requests carry no Origin. */
function isForeignSubresource(req: Request): boolean {
  const site = req.headers['sec-fetch-site'];
  return (
    (site === 'cross-site' || site === 'same-site') && req.headers['sec-fetch-mode'] !== 'navigate'
  );
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/**
 * Asks for `Authorization: Bearer KEY`. Without API keys everyone who can reach the server may use it (loopback only),
 * whatever key the client sends, since many SDKs insist on sending one.
 */
export function keyGuard(apiKeys: readonly string[], windowKey: string | null) {
  const known = [...apiKeys, ...(windowKey === null ? [] : [windowKey])].map(digest);
  return (req: Request, _res: Response, next: NextFunction): void => {
    if (apiKeys.length === 0) {
      next();
      return;
    }
    const given = /^Bearer +(.*\S) *$/i.exec(req.headers.authorization ?? '')?.[1];
    const hash = digest(given ?? '');
    // Every key is compared, so that the time tells nothing about which one was near.
    const matches = known.filter((key) => timingSafeEqual(key, hash)).length;
    if (given === undefined || matches === 0) {
      throw new ApiError(
        401,
        given === undefined
          ? 'This server needs a key: send it as "Authorization: Bearer KEY".'
          : 'The API key is not right.',
        { code: 'invalid_api_key', headers: { 'www-authenticate': 'Bearer' } },
      );
    }
    next();
  };
}
