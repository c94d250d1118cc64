import { t } from '../../i18n/i18n.js';
import { SettingsSection } from '../../settings/setting.js';
import { TextSetting } from '../../settings/text-setting.js';
import type { ServerProps } from './server-tab.js';

const PORT_MAX = 65_535;

/** The port: changed at once, for all programs. */
export function AddressSettings({ info, settings, change }: ServerProps) {
  const isGiven = info.given.includes('port');
  const isOther = !isGiven && info.port !== settings.port;
  return (
    <SettingsSection title={t('developer.address')} text={t('developer.address_text')}>
      {isGiven ? (
        <p className="given">{t('developer.port_given', { port: String(info.port) })}</p>
      ) : (
        <TextSetting
          label={t('developer.port')}
          hint={
            isOther
              ? t('developer.port_other', {
                  wanted: String(settings.port),
                  port: String(info.port),
                })
              : t('developer.port_hint')
          }
          type="number"
          value={String(info.port)}
          onSave={async (text) => {
            const port = Number(text);
            const isPort = Number.isInteger(port) && port >= 1 && port <= PORT_MAX;
            return isPort ? change({ port }) : t('developer.port_wrong');
          }}
        />
      )}
    </SettingsSection>
  );
}
