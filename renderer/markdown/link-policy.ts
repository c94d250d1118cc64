const LIVE = new Set(['http:', 'https:', 'mailto:']);

/**
 * The address a link of an answer may open, or null for one that stays dead: only absolute http, https and mailto.
 * A relative address would lead into this window's own origin, which answers must not reach.
 */
export function liveLink(href: string | undefined): string | null {
  if (!href) return null;
  let url: URL;
  try {
    url = new URL(href);
  } catch {
    return null;
  }
  if (!LIVE.has(url.protocol)) return null;
  if (url.protocol === 'mailto:') return url.pathname === '' ? null : url.href;
  // An address such as https://bank.example@evil.example shows one host and opens another.
  return url.username === '' && url.password === '' ? url.href : null;
}
