import { useCallback, useMemo, useState } from 'react';
import type { Notice } from './notices.js';

/** The server's notices and the window's own, without those that were dismissed. */
export function useNotices(fromServer: readonly string[]) {
  const [own, setOwn] = useState<Notice[]>([]);
  const [dismissed, setDismissed] = useState<ReadonlySet<string>>(new Set());

  const dismiss = useCallback((id: string) => {
    setOwn((notices) => notices.filter((notice) => notice.id !== id));
    setDismissed((ids) => new Set(ids).add(id));
  }, []);

  /** Shows a notice in place of the one with the same id. */
  const show = useCallback((notice: Notice) => {
    setOwn((notices) => [...notices.filter((other) => other.id !== notice.id), notice]);
  }, []);

  const notices = useMemo(() => {
    const server = [...new Set(fromServer)].map(
      (text): Notice => ({ id: `server:${text}`, text, tone: 'info' }),
    );
    return [...server, ...own].filter(
      (notice) => !notice.id.startsWith('server:') || !dismissed.has(notice.id),
    );
  }, [fromServer, own, dismissed]);

  return { notices, show, dismiss };
}
