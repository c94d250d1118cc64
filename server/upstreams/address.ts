/** Where the routes of an upstream are, from the base URL that a person gave. Pure. */

/**
 * How the base URL of an upstream is meant. `v1`: its API is under /v1, which the URL may have at its end or not.
 * `bare`: right under the URL, as of services that count their versions otherwise.
 */
export type Layout = 'v1' | 'bare';

/** Without what a base URL has no use for: spaces around it, slashes at its end. */
export function baseUrl(url: string): string {
  return new URL(url.trim()).href.replace(/\/+$/, '');
}

/** A sentence for people why this cannot be a base URL; null where it can. */
export function baseUrlProblem(text: string): string | null {
  if (!URL.canParse(text.trim())) return `"${text.slice(0, 200)}" is no URL.`;
  const { protocol, username, password, search, hash } = new URL(text.trim());
  if (protocol !== 'http:' && protocol !== 'https:') {
    return 'The URL of an upstream begins with http:// or https://.';
  }
  if (username !== '' || password !== '') {
    return 'The URL of an upstream has no name and no password in it: its key is given apart from it.';
  }
  if (search !== '' || hash !== '') return 'The URL of an upstream ends before any "?" or "#".';
  return null;
}

/** @param path As in our own route table, such as "/v1/chat/completions" or "/api/chat"; with its query, if any. */
export function urlAt(base: string, layout: Layout, path: string): string {
  const inV1 = /^\/v1(?=\/)/.test(path) ? path.slice('/v1'.length) : null;
  if (layout === 'bare') return base + (inV1 ?? path);
  const root = base.replace(/\/v1$/i, '');
  return inV1 === null ? root + path : `${root}/v1${inV1}`;
}
