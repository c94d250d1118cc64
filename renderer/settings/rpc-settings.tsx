import { t } from '../i18n/i18n.js';
import { ListSetting } from './list-setting.js';
import { SettingPlace, SettingsSection } from './setting.js';
import type { SettingsProps } from './settings-view.js';

/** Other machines whose memory is used for big models. */
export function RpcSettings({ settings, change }: SettingsProps) {
  return (
    <SettingsSection title={t('settings.rpc_title')} text={t('settings.rpc_text')}>
      <SettingPlace id="rpc">
        <ListSetting
          label={t('settings.rpc_add')}
          hint={t('settings.rpc_hint')}
          placeholder="192.168.1.20:50052"
          add={t('settings.add')}
          values={settings.rpc_hosts}
          removeLabel={(host) => t('settings.rpc_remove', { host })}
          onSave={(rpc_hosts) => change({ rpc_hosts })}
        />
      </SettingPlace>
    </SettingsSection>
  );
}
