/**
 * Who may talk to the server at all: checks of Host and Origin on every route, against other sites in the person's
 * browser, also by a rebound DNS name. What an allowed foreign page needs besides is in cors.ts, keys in key-guard.ts.
 */
import os from 'node:os';
import type { NextFunction, Request, Response } from 'express';
import { authorityOf } from './absolute-form.js';
import { allowsOrigin } from './cors.js';
import { ApiError, invalidRequest } from './errors.js';

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'] as const;

/** True for the addresses that only this machine can reach. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  return (
    name === 'localhost' || name === '::1' || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name)
  );
}

/** An address as it stands in a URL: IPv6 in brackets, without a zone; IPv4 as such, also where a socket of IPv6 tells it. */
export function urlHost(address: string): string {
  const bare = address.replace(/^\[|\]$/g, '').replace(/^::ffff:(?=\d+(\.\d+){3}$)|%.*$/gi, '');
  return bare.includes(':') ? `[${bare.toLowerCase()}]` : bare.toLowerCase();
}

/** Names in Host and Origin that mean this server when it is bound to `host`; lower case, without a port. */
export function ownNames(host: string): Set<string> {
  const names = new Set<string>([...LOOPBACK_NAMES, urlHost(host)]);
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
  names: () => ReadonlySet<string>;
  /** Further names, lower case, of whatever stands before the server: a proxy has a port of its own, so any will do. */
  allowedHosts: () => ReadonlySet<string>;
  /** Origins of other pages that may use the server; see cors.ts. */
  allowedOrigins: () => ReadonlySet<string>;
}

/** The address that the client has reached, which a machine may have got since the start, and the port. */
interface Reached {
  address: string;
  port: string;
}

/** Refuses foreign Hosts and Origins with 403. Must come before every other handler, also before static files. */
export function hostGuard({ names, allowedHosts, allowedOrigins }: HostGuardOptions) {
  const isOwn = (authority: string, defaultPort: string, here: Reached): boolean => {
    const parts = splitAuthority(authority);
    if (!parts || !(names().has(parts.name) || parts.name === here.address)) return false;
    return (parts.port ?? defaultPort) === here.port;
  };
  // A Host without a port is our own name all the same; an Origin without one means port 80.
  const isOwnHost = (authority: string, here: Reached): boolean =>
    isOwn(authority, here.port, here) || isAllowedHost(authority);
  const isAllowedHost = (authority: string): boolean =>
    allowedHosts().has(splitAuthority(authority)?.name ?? '');
  // Our window behind a proxy: its pages have the origin at which they ask.
  const isProxied = (origin: string, host: string): boolean =>
    isAllowedHost(host) && /^https?:\/\/(.*)$/.exec(origin)?.[1] === host.toLowerCase();
  const isOwnOrigin = (origin: string, host: string, here: Reached): boolean =>
    (origin.startsWith('http://') && isOwn(origin.slice('http://'.length), '80', here)) ||
    isProxied(origin, host);

  return (req: Request, _res: Response, next: NextFunction): void => {
    const hosts = req.rawHeaders.filter(
      (_, i, all) => i % 2 === 1 && /^host$/i.test(all[i - 1] ?? ''),
    );
    const [host] = hosts;
    if (host === undefined || hosts.length > 1) {
      throw invalidRequest('Exactly one Host header is needed.', null, 'invalid_host');
    }
    const authority = authorityOf(req);
    const { localAddress = LOOPBACK_NAMES[0], localPort } = req.socket;
    const here = { address: urlHost(localAddress), port: String(localPort) };
    const foreign = [host, ...(authority === null ? [] : [authority])].find(
      (name) => !isOwnHost(name, here),
    );
    if (foreign !== undefined) {
      throw new ApiError(
        403,
        `The Host "${foreign.slice(0, 100)}" is not this server: use http://${here.address}:${here.port}. ` +
          'Other names are allowed with --allow-host.',
        { code: 'host_not_allowed' },
      );
    }
    const origin = req.headers.origin;
    const isAllowed = origin !== undefined && allowsOrigin(allowedOrigins(), origin);
    if (origin !== undefined && !isAllowed && !isOwnOrigin(origin, host, here)) {
      throw new ApiError(
        403,
        `Web pages of "${origin.slice(0, 100)}" may not use this server. ` +
          'Those of one origin are allowed with --allow-origin.',
        { code: 'origin_not_allowed' },
      );
    }
    if (!isAllowed && isForeignSubresource(req)) {
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
