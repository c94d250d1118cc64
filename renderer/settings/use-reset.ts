import { useContext } from 'react';
import { t } from '../i18n/i18n.js';
import { ShowNotice, useAct } from '../shell/act.js';

/**
 * Resets a part of the settings, with a way back.
 * @param change Sets values.
 * @returns for the button: null while all is as it was at first.
 */
export function useReset<T extends object>(
  section: string,
  now: T,
  first: T,
  change: (values: T) => Promise<unknown>,
): (() => void) | null {
  const show = useContext(ShowNotice);
  const act = useAct();
  if (JSON.stringify(now) === JSON.stringify(first)) return null;
  return async () => {
    if (!(await act('settings', () => change(first)))) return;
    show({
      id: 'settings',
      tone: 'info',
      text: t('settings.reset_done', { section }),
      action: {
        label: t('common.undo'),
        run: async () => {
          if (!(await act('settings', () => change(now)))) return;
          show({ id: 'settings', tone: 'info', text: t('settings.reset_undone', { section }) });
        },
      },
    });
  };
}
