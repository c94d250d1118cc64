import { useEffect, useRef } from 'react';
import { desktop } from '../api/bridge.js';

/**
 * Follows pilotlight:// links, which the desktop hands over.
 * @param fill puts a text into the composer of a new chat; nothing is sent
 */
export function useLinks(fill: (text: string) => void): void {
  const latest = useRef(fill);
  latest.current = fill;
  useEffect(() => {
    if (!desktop) return;
    const stop = desktop.onGo(({ hash, text }) => {
      location.hash = hash;
      if (text !== null) latest.current(text);
    });
    // Before this, main keeps what it has to tell.
    desktop.listening().catch(() => {});
    return stop;
  }, []);
}
