import { createContext } from 'react';

/** Hides the sidebar in which a component is. */
export const SidebarToggle = createContext<() => void>(() => {});
