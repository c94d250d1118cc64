import { useEffect, useState } from 'react';
import type { UpdateState } from '../../protocol/bridge.js';
import { desktop } from '../api/bridge.js';
import { t } from '../i18n/i18n.js';
import { useAct } from '../shell/act.js';
import { formatPercent } from '../shell/format.js';
import { SettingPlace } from './setting.js';

/** Whether there is a newer version, and the next step to it; absent in a browser. */
export function UpdateSetting() {
  const [state, setState] = useState<UpdateState | null>(null);
  const act = useAct();
  useEffect(() => {
    desktop?.update().then(setState, () => {});
    return desktop?.onUpdateChanged(setState);
  }, []);
  if (!desktop || state === null) return null;
  const { checkForUpdate, downloadUpdate, installUpdate, openExternal } = desktop;
  const button = (label: string, run: () => Promise<void>) => (
    <button
      type="button"
      className="button"
      data-size="small"
      onClick={() => void act('update', run)}
    >
      {label}
    </button>
  );
  const check = button(t('settings.update_check'), checkForUpdate);
  const { page } = 'page' in state ? state : { page: null };
  return (
    <SettingPlace id="updates">
      <div className="setting-row">
        <div className="setting-name">
          <span className="setting-label">{t('settings.updates')}</span>
          <p className={state.kind === 'failed' ? 'setting-failure' : 'field-hint'} role="status">
            {sentence(state)}
          </p>
        </div>
        <div className="setting-control">
          {(state.kind === 'off' || state.kind === 'current' || state.kind === 'failed') && check}
          {page !== null && button(t('settings.update_page'), () => openExternal(page))}
          {state.kind === 'available' &&
            state.installable &&
            button(t('settings.update_download'), downloadUpdate)}
          {state.kind === 'ready' && button(t('settings.update_install'), installUpdate)}
        </div>
      </div>
    </SettingPlace>
  );
}

function sentence(state: UpdateState): string {
  switch (state.kind) {
    case 'unsupported':
      return t(`settings.update_${state.reason}`);
    case 'off':
    case 'checking':
    case 'current':
      return t(`settings.update_${state.kind}`);
    case 'available':
    case 'ready':
      return t(`settings.update_${state.kind}`, { version: state.version });
    case 'downloading':
      return t('settings.update_downloading', {
        version: state.version,
        percent: formatPercent(state.fraction),
      });
    case 'failed':
      return t(`settings.update_failed_${state.reason}`);
  }
}
