import licence from '../../LICENSE?raw';
import notices from '../../THIRD_PARTY_NOTICES.md?url';
import { t } from '../i18n/i18n.js';
import { Flame } from '../shell/flame.js';
import { LinkRow } from './link-row.js';
import { SettingPlace, SettingsSection } from './setting.js';
import { UpdateSetting } from './update-setting.js';

/** Which Pilotlight this is, and whose work is in it. */
export function AboutSettings({ version }: { version: string | null }) {
  const url = new URL(notices, location.href).href;
  return (
    <SettingsSection title={t('settings.about')}>
      <SettingPlace id="version">
        <div className="about-head">
          <Flame size={44} />
          <div>
            <p className="about-name">Pilotlight</p>
            <p className="field-hint">{t('settings.about_text')}</p>
            {version !== null && (
              <p className="field-hint">{t('settings.version_is', { version })}</p>
            )}
          </div>
        </div>
      </SettingPlace>
      <UpdateSetting />
      <SettingPlace id="licence">
        <details className="licence">
          <summary>
            <span className="setting-label">{t('settings.licence')}</span>
            <span className="field-hint">{t('settings.licence_text')}</span>
          </summary>
          <pre lang="en" dir="ltr">
            {licence}
          </pre>
        </details>
      </SettingPlace>
      <LinkRow label={t('settings.notices')} hint={t('settings.notices_hint')} url={url} />
    </SettingsSection>
  );
}
