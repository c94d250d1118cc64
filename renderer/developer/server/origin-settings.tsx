import { t } from '../../i18n/i18n.js';
import { ListSetting } from '../../settings/list-setting.js';
import { SettingsSection } from '../../settings/setting.js';
import type { ServerProps } from './server-tab.js';

/** Web pages of other origins, and further names of the server. */
export function OriginSettings({ info, settings, change }: ServerProps) {
  return (
    <>
      <SettingsSection title={t('developer.origins')} text={t('developer.origins_text')}>
        <Given values={info.start_origins} />
        <ListSetting
          label={t('developer.origin_add')}
          hint={t('developer.origin_hint')}
          placeholder="http://localhost:3000"
          add={t('developer.add')}
          values={settings.allowed_origins}
          removeLabel={(value) => t('developer.remove', { value })}
          onSave={(allowed_origins) => change({ allowed_origins })}
        />
      </SettingsSection>
      <SettingsSection title={t('developer.hosts')} text={t('developer.hosts_text')}>
        <Given values={info.start_hosts} />
        <ListSetting
          label={t('developer.host_add')}
          hint={t('developer.host_hint')}
          placeholder="host.docker.internal"
          add={t('developer.add')}
          values={settings.allowed_hosts}
          removeLabel={(value) => t('developer.remove', { value })}
          onSave={(allowed_hosts) => change({ allowed_hosts })}
        />
      </SettingsSection>
    </>
  );
}

function Given({ values }: { values: readonly string[] }) {
  if (values.length === 0) return null;
  return <p className="given">{t('developer.list_given', { values: values.join(', ') })}</p>;
}
