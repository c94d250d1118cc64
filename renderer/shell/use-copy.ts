import { useEffect, useState } from 'react';
import { copyText } from './clipboard.js';

export type CopyState = 'idle' | 'copied' | 'failed';

/** Long enough to be read, short enough to copy again. */
const SHOWN_MS = 1800;

/** Copies on demand and tells for a moment how it went. */
export function useCopy(text: string): { state: CopyState; copy: () => void } {
  const [state, setState] = useState<CopyState>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = () => {
    void copyText(text).then((copied) => setState(copied ? 'copied' : 'failed'));
  };
  return { state, copy };
}
