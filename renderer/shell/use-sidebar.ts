import { useCallback, useState } from 'react';
import { useMedia } from './use-media.js';

const STORAGE_KEY = 'pilotlight.sidebar';
/** Where the window is narrower, the sidebar lies above the page while it is open. */
const NARROW = '(max-width: 48rem)';

export interface SidebarState {
  open: boolean;
  /** It lies above the page. */
  drawer: boolean;
  setOpen: (open: boolean) => void;
}

/** Whether the sidebar is shown; beside the page this is remembered, above it it begins hidden. */
export function useSidebar(): SidebarState {
  const drawer = useMedia(NARROW);
  const [beside, setBeside] = useState(loadOpen);
  const [above, setAbove] = useState(false);
  const setOpen = useCallback(
    (open: boolean) => {
      if (drawer) {
        setAbove(open);
        return;
      }
      setBeside(open);
      saveOpen(open);
    },
    [drawer],
  );
  return { open: drawer ? above : beside, drawer, setOpen };
}

function loadOpen(): boolean {
  try {
    return localStorage.getItem(STORAGE_KEY) !== 'closed';
  } catch {
    return true;
  }
}

function saveOpen(open: boolean): void {
  try {
    localStorage.setItem(STORAGE_KEY, open ? 'open' : 'closed');
  } catch {
    // Without storage it lasts as long as the window.
  }
}
