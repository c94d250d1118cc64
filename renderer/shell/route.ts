/** What the window shows, kept in the address after "#": the browser's back leads back, and a reload shows the same. */
export type ModelsTab = 'installed' | 'discover' | 'downloads' | 'settings';

export type Route =
  | { page: 'chat' }
  /** `item`: id of the model whose settings are open, or the repo that is looked at. */
  | { page: 'models'; tab: ModelsTab; item: string | null };

export const MODELS_TABS: readonly ModelsTab[] = ['installed', 'discover', 'downloads', 'settings'];

/** The route of an address's hash; the chat for all that is none. */
export function parseRoute(hash: string): Route {
  const [page, name, ...rest] = hash.replace(/^#?\/?/, '').split('/');
  if (page !== 'models') return { page: 'chat' };
  const tab = MODELS_TABS.find((known) => known === name) ?? 'installed';
  const hasItem = tab === 'installed' || tab === 'discover';
  const item = hasItem ? decodePath(rest.filter((part) => part !== '')) : null;
  return { page: 'models', tab, item };
}

/** The hash of a route; parseRoute's inverse. */
export function routeHash(route: Route): string {
  if (route.page === 'chat') return '#/';
  const item = route.item === null ? '' : `/${encodePath(route.item)}`;
  return `#/models/${route.tab}${item}`;
}

/** Slashes stay as they are, also in the addresses of our API. */
export function encodePath(id: string): string {
  return id.split('/').map(encodeURIComponent).join('/');
}

function decodePath(parts: readonly string[]): string | null {
  if (parts.length === 0) return null;
  try {
    return parts.map(decodeURIComponent).join('/');
  } catch {
    return null;
  }
}
