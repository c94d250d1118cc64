import type { MouseEvent } from 'react';
import { desktop } from '../api/bridge.js';

/** In the desktop, links open in the system's browser; a browser follows them by itself, in a new tab. */
export function openLink(event: MouseEvent, url: string): void {
  if (!desktop) return;
  event.preventDefault();
  // The desktop refuses what it does not open; the link then stays without effect.
  desktop.openExternal(url).catch(() => {});
}
