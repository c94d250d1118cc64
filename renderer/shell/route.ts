import { WELCOME_STEPS, type WelcomeStep } from '../../protocol/preferences.js';

/** What the window shows, kept in the address after "#": the browser's back leads back, and a reload shows the same. */
export type ModelsTab = 'installed' | 'discover' | 'downloads';

export type DeveloperTab = 'server' | 'requests' | 'log' | 'snippets' | 'self-test';

export type Route =
  /** Without an id: a new chat. `message`: the one that is shown first, such as what a search has found. */
  | { page: 'chat'; id?: string; message?: string }
  /** `item`: ids of requests that are looked at beside each other, with commas between them. */
  | { page: 'developer'; tab: DeveloperTab; item: string | null }
  /** `item`: id of the model whose settings are open, or the repo that is looked at. */
  | { page: 'models'; tab: ModelsTab; item: string | null }
  /** `item`: the setting that was searched for. */
  | { page: 'settings'; section: SettingsSectionName; item: string | null }
  /** The first run. */
  | { page: 'welcome'; step: WelcomeStep };

export const MODELS_TABS: readonly ModelsTab[] = ['installed', 'discover', 'downloads'];

export const SETTINGS_SECTIONS = [
  'general',
  'appearance',
  'models',
  'folders',
  'hub',
  'tools',
  'upstreams',
  'rpc',
  'server',
  'data',
  'about',
] as const;
export type SettingsSectionName = (typeof SETTINGS_SECTIONS)[number];

export const DEVELOPER_TABS: readonly DeveloperTab[] = [
  'server',
  'requests',
  'log',
  'snippets',
  'self-test',
];

/** The route of an address's hash; a new chat for all that is none. */
export function parseRoute(hash: string): Route {
  const [page, name, ...rest] = hash.replace(/^#?\/?/, '').split('/');
  if (page === 'chat' && name) return chatRoute(name, rest[0]);
  if (page === 'welcome') {
    return { page, step: WELCOME_STEPS.find((known) => known === name) ?? 'folder' };
  }
  if (page === 'settings') return settingsRoute(name, rest[0]);
  if (page === 'developer') {
    const tab = DEVELOPER_TABS.find((known) => known === name) ?? 'server';
    const item = tab === 'requests' ? decodePath(rest.filter((part) => part !== '')) : null;
    return { page, tab, item };
  }
  if (page !== 'models') return { page: 'chat' };
  // Where they were before they had a page of their own.
  if (name === 'settings') return settingsRoute('models', undefined);
  const tab = MODELS_TABS.find((known) => known === name) ?? 'installed';
  const hasItem = tab === 'installed' || tab === 'discover';
  const item = hasItem ? decodePath(rest.filter((part) => part !== '')) : null;
  return { page: 'models', tab, item };
}

/** The hash of a route; parseRoute's inverse. */
export function routeHash(route: Route): string {
  if (route.page === 'chat') {
    const parts = [route.id, route.id && route.message].filter((part) => part !== undefined);
    return parts.length === 0 ? '#/' : `#/chat/${parts.map(encodeURIComponent).join('/')}`;
  }
  if (route.page === 'welcome') return `#/welcome/${route.step}`;
  const item = route.item === null ? '' : `/${encodePath(route.item)}`;
  if (route.page === 'settings') return `#/settings/${route.section}${item}`;
  return `#/${route.page}/${route.tab}${item}`;
}

/** Slashes stay as they are, also in the addresses of our API. */
export function encodePath(id: string): string {
  return id.split('/').map(encodeURIComponent).join('/');
}

function chatRoute(name: string, part: string | undefined): Route {
  const id = decodePath([name]);
  if (id === null) return { page: 'chat' };
  const message = part ? decodePath([part]) : null;
  return { page: 'chat', id, ...(message === null ? {} : { message }) };
}

function settingsRoute(name: string | undefined, item: string | undefined): Route {
  const section = SETTINGS_SECTIONS.find((known) => known === name) ?? 'general';
  return { page: 'settings', section, item: decodePath(item ? [item] : []) };
}

function decodePath(parts: readonly string[]): string | null {
  if (parts.length === 0) return null;
  try {
    return parts.map(decodeURIComponent).join('/');
  } catch {
    return null;
  }
}
