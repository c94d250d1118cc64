/**
 * Links of other programs into this one, `pilotlight://…`. Anybody can make somebody follow one: it shows a place or
 * fills a field, and neither sends nor changes anything.
 */
import type { Destination } from '../protocol/bridge.js';

export const LINK_SCHEME = 'pilotlight';

export type DeepLink =
  | { kind: 'show' }
  | { kind: 'go'; destination: Destination }
  /** The small window, its field filled; null: empty. */
  | { kind: 'quick-ask'; text: string | null }
  /** None of ours. `link` is fit to be shown: one line, cut where it is long. */
  | { kind: 'unknown'; link: string };

/** Characters; Windows has no longer command lines. */
const LINK_LENGTH_MAX = 32_000;
/** Of a link that is shown because it is not known. */
const SHOWN_LENGTH_MAX = 200;

export const CHAT_ID = /^[\w-]{1,64}$/;
/** Owner or name of a repository on the hub. */
const REPO_PART = /^[a-z0-9][\w.-]{0,95}$/i;
const SECTION = /^[a-z][a-z0-9-]{0,39}$/;

/** Where a link leads; every text is one, most of them unknown. */
export function parseDeepLink(link: string): DeepLink {
  const unknown: DeepLink = { kind: 'unknown', link: shown(link) };
  if (link.length > LINK_LENGTH_MAX || !URL.canParse(link)) return unknown;
  const url = new URL(link);
  const hasMore = url.username !== '' || url.password !== '' || url.port !== '' || url.hash !== '';
  if (url.protocol !== `${LINK_SCHEME}:` || hasMore) return unknown;
  const [page = 'open', ...path] = [url.host, ...url.pathname.split('/')].filter((p) => p !== '');
  const asks = page.toLowerCase() === 'chat' || page.toLowerCase() === 'quick-ask';
  const text = asks && path.length === 0 ? question(url.searchParams) : null;
  if (text === null && url.search !== '') return unknown;
  switch (page.toLowerCase()) {
    case 'open':
      return path.length === 0 ? { kind: 'show' } : unknown;
    case 'quick-ask':
      return path.length === 0 ? { kind: 'quick-ask', text: text || null } : unknown;
    case 'chat':
      if (path.length === 0) return go('#/', text || null);
      return path.length === 1 && CHAT_ID.test(path[0] ?? '') ? go(`#/chat/${path[0]}`) : unknown;
    case 'models':
      return models(path) ?? unknown;
    case 'settings':
      if (path.length === 0) return go('#/settings');
      return path.length === 1 && SECTION.test(path[0] ?? '')
        ? go(`#/settings/${path[0]}`)
        : unknown;
    case 'developer':
      return path.length === 0 ? go('#/developer') : unknown;
    default:
      return unknown;
  }
}

/** The link among a command line's arguments; null: there is none. */
export function linkAmong(argv: readonly string[]): string | null {
  return argv.find((argument) => argument.toLowerCase().startsWith(`${LINK_SCHEME}:`)) ?? null;
}

function go(hash: string, text: string | null = null): DeepLink {
  return { kind: 'go', destination: { hash, text } };
}

function models(path: readonly string[]): DeepLink | null {
  const [tab, owner, name, ...rest] = path;
  if (rest.length > 0) return null;
  if (tab === undefined) return go('#/models/installed');
  if (owner === undefined && ['installed', 'discover', 'downloads'].includes(tab)) {
    return go(`#/models/${tab}`);
  }
  if (tab !== 'discover' || !REPO_PART.test(owner ?? '') || !REPO_PART.test(name ?? ''))
    return null;
  return go(`#/models/discover/${owner}/${name}`);
}

/** What `q` says; '' where there is none; null: there is more than that. */
function question(query: URLSearchParams): string | null {
  const keys = [...query.keys()];
  if (keys.length === 0) return '';
  if (keys.length > 1 || keys[0] !== 'q') return null;
  // Line breaks and tabs stay; what cannot be seen, or turns the direction of the text, goes.
  return (query.get('q') ?? '')
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[\u202a-\u202e\u2066-\u2069]|(?![\n\t])\p{Cc}/gu, '')
    .trim();
}

function shown(link: string): string {
  const line = link
    .slice(0, SHOWN_LENGTH_MAX + 1)
    .replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '')
    .replaceAll(/[\p{Cc}\s]+/gu, ' ');
  return link.length > SHOWN_LENGTH_MAX ? `${line.slice(0, SHOWN_LENGTH_MAX)}…` : line;
}
