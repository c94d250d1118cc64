import { useEffect } from 'react';
import { desktop } from '../api/bridge.js';
import { t } from '../i18n/i18n.js';
import type { Notice } from '../shell/notices.js';
import { useUpdate } from './use-update.js';

/** Says once that a version has been found, and that it is ready; whoever puts it off finds it in the settings. */
export function useUpdateNotice(
  show: (notice: Notice) => void,
  dismiss: (id: string) => void,
): void {
  const update = useUpdate();
  const kind = update?.kind;
  const version = update && 'version' in update ? update.version : null;
  useEffect(() => {
    if (version === null || kind === 'downloading') return;
    const isReady = kind === 'ready';
    show({
      id: 'update',
      tone: 'info',
      text: t(isReady ? 'desktop.ready' : 'desktop.available', { version }),
      action: isReady
        ? { label: t('desktop.restart'), run: () => void desktop?.installUpdate() }
        : {
            label: t('desktop.show'),
            run: () => {
              dismiss('update');
              location.hash = '#/settings/general/check_for_updates';
            },
          },
    });
  }, [kind, version, show, dismiss]);
}
