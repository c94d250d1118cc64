import { useSyncExternalStore } from 'react';
import type { Store } from './store.js';

/** The state of a store, drawn anew when it changes. */
export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.snapshot);
}
