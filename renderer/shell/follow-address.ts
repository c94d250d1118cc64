import { useEffect, useRef } from 'react';
import { desktop } from '../api/bridge.js';

/**
 * A server that moves to another port takes its pages along. The desktop sees to its window itself; a page that came
 * through a proxy stays, since the proxy's port is another one in any case.
 * @param url Of the server, as it says itself; null: not known yet.
 */
export function useFollowAddress(url: string | null): void {
  const before = useRef<string | null>(null);
  useEffect(() => {
    const was = before.current;
    before.current = url ?? was;
    if (desktop || url === null || was === null) return;
    const { port } = new URL(url);
    if (new URL(was).port !== location.port || port === location.port) return;
    location.replace(`${location.protocol}//${location.hostname}:${port}/${location.hash}`);
  }, [url]);
}
