/** What becomes of a link: opened in our window, handed to the system's browser, or nothing. */
export type Destination = 'window' | 'browser' | 'nowhere';

/**
 * Our window shows one page and nothing else.
 * @param origin of the server's page, such as "http://127.0.0.1:7411"; null before the server is there
 */
export function destination(target: string, origin: string | null): Destination {
  const url = URL.canParse(target) ? new URL(target) : null;
  if (!url) return 'nowhere';
  if (url.origin === origin && url.pathname === '/') return 'window';
  return isWebLink(target) ? 'browser' : 'nowhere';
}

/** True for http and https addresses without a user name in them, the only links that leave the app. */
export function isWebLink(target: string): boolean {
  const url = URL.canParse(target) ? new URL(target) : null;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return false;
  return url.username === '' && url.password === '';
}
