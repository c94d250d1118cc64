/** Where a server's API is, as its URL says. */

/** What is measured: our typed events, or one of OpenAI's two streams. */
export const PROTOCOLS = ['typed', 'chat', 'completions'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

const ROUTES: Record<Protocol, string> = {
  typed: '/generate',
  chat: '/chat/completions',
  completions: '/completions',
};

export interface Api {
  /** Name or address as a socket takes it. */
  host: string;
  port: number;
  isTls: boolean;
  /** What stands before the routes, such as "/v1". */
  base: string;
  /** What stands behind them, such as "?api-version=1"; mostly empty. */
  search: string;
  key: string | null;
  /** The one whose route the URL names; null for the URL of a server. */
  protocol: Protocol | null;
  /** For people: without what a URL may hold beyond the place. */
  name: string;
}

/** One route of an API. */
export interface Target {
  host: string;
  port: number;
  isTls: boolean;
  path: string;
  key: string | null;
}

/** The sentence is for the person who gave the URL. */
export class AddressError extends Error {
  override readonly name = 'AddressError';
}

/**
 * @param url of a server, of its API (".../v1"), or of one of the three routes
 * @throws AddressError
 */
export function apiOf(url: string, key: string | null = null): Api {
  const { protocol: scheme, hostname, host, port, pathname, search, username } = parse(url);
  const path = pathname.replace(/\/+$/, '');
  const named = PROTOCOLS.find((protocol) => path.endsWith(ROUTES[protocol])) ?? null;
  const base = named === null ? path : path.slice(0, -ROUTES[named].length);
  if (username !== '') {
    throw new AddressError('A URL with a name or password in it is not taken: give --api-key.');
  }
  const isTls = scheme === 'https:';
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (isTls ? 443 : 80),
    isTls,
    base: base === '' && named === null ? '/v1' : base,
    search,
    key,
    protocol: named,
    name: `${scheme}//${host}${path}`,
  };
}

function parse(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed && /^https?:$/.test(parsed.protocol) && parsed.hostname !== '') return parsed;
  throw new AddressError(
    `"${url.replace(/\/\/.*@/, '//')}" is not the URL of a server: expected one such as http://127.0.0.1:7411.`,
  );
}

export function targetOf(api: Api, protocol: Protocol): Target {
  return routeOf(api, ROUTES[protocol]);
}

/** @param route below the base, such as "/models" */
export function routeOf(api: Api, route: string): Target {
  const { host, port, isTls, base, search, key } = api;
  return { host, port, isTls, path: `${base}${route}${search}`, key };
}
