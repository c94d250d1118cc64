import { useEffect, useState } from 'react';
import type { UpdateState } from '../../protocol/bridge.js';
import { desktop } from '../api/bridge.js';

/** Whether a newer version is there; null in a browser, and before the desktop has said. */
export function useUpdate(): UpdateState | null {
  const [update, setUpdate] = useState<UpdateState | null>(null);
  useEffect(() => {
    if (!desktop) return;
    let isTold = false;
    const stop = desktop.onUpdateChanged((state) => {
      isTold = true;
      setUpdate(state);
    });
    // What was told meanwhile is newer than the answer.
    desktop.update().then(
      (state) => !isTold && setUpdate(state),
      () => {},
    );
    return stop;
  }, []);
  return update;
}
