import { useMemo, useSyncExternalStore } from 'react';
import { parseRoute, type Route, routeHash } from './route.js';

function subscribe(listener: () => void): () => void {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
}

/** The route of the window's address. */
export function useRoute(): Route {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  return useMemo(() => parseRoute(hash), [hash]);
}

/** The same at this moment, to whoever draws nothing. */
export const currentRoute = (): Route => parseRoute(location.hash);

/** Goes to a route; the browser's back leads to where one was. */
export function navigate(route: Route): void {
  location.hash = routeHash(route);
}

let lastChat = parseRoute(location.hash).page === 'chat' ? location.hash : '';
window.addEventListener('hashchange', () => {
  if (parseRoute(location.hash).page === 'chat') lastChat = location.hash;
});

/** Goes back from another page to the chat that was shown last. */
export function backToChat(): void {
  location.hash = lastChat === '' ? routeHash({ page: 'chat' }) : lastChat;
}
