import { useEffect, useRef } from 'react';
import type { Download } from '../../protocol/downloads.js';
import type { ServerState } from '../../protocol/models.js';
import { t } from '../i18n/i18n.js';
import type { Notice } from '../shell/notices.js';
import { arrivals } from './arrivals.js';
import { noteSpeed } from './last-speed.js';

/** Tells of downloads that have come to their end, wherever in the window one is. */
export function useArrivals(
  server: ServerState | null,
  show: (notice: Notice) => void,
  dismiss: (id: string) => void,
  onUse: (model: string) => void,
): void {
  const downloads = server?.downloads;
  const before = useRef<readonly Download[] | null>(null);
  const latest = useRef({ show, dismiss, onUse });
  latest.current = { show, dismiss, onUse };
  useEffect(() => {
    if (!downloads) return;
    noteSpeed(downloads);
    const ended = arrivals(before.current, downloads);
    before.current = downloads;
    for (const { id, name, status, reason, model_id } of ended) {
      const notice = `download:${id}`;
      if (status === 'failed') {
        const text =
          reason === null
            ? t('downloads.failed', { name })
            : t('downloads.failed_for', { name, reason });
        latest.current.show({ id: notice, tone: 'bad', text });
        continue;
      }
      const use = (model: string) => () => {
        latest.current.dismiss(notice);
        latest.current.onUse(model);
      };
      const action =
        model_id === null ? {} : { action: { label: t('downloads.use'), run: use(model_id) } };
      latest.current.show({
        id: notice,
        tone: 'info',
        text: t('downloads.arrived', { name }),
        ...action,
      });
    }
  }, [downloads]);
}
