import { apiBase } from '../api/http.js';
import { t } from '../i18n/i18n.js';
import { CopyIconButton } from '../shell/copy-button.js';
import { routeHash } from '../shell/route.js';
import { LinkRow } from './link-row.js';
import { SettingPlace, SettingRow, SettingsSection } from './setting.js';

/** Where programs reach the models. */
export function ServerSettings() {
  const docs = new URL('docs', location.href).href;
  return (
    <SettingsSection title={t('settings.server')} text={t('settings.server_text')}>
      <SettingPlace id="server_address">
        <PathRow
          label={t('settings.server_address')}
          path={apiBase()}
          copy={t('settings.server_copy')}
        />
      </SettingPlace>
      <LinkRow label={t('settings.server_docs')} hint={t('settings.server_docs_hint')} url={docs} />
      <SettingRow label={t('settings.server_more')} hint={t('settings.server_more_hint')}>
        {({ id, describedBy }) => (
          <a
            id={id}
            className="button"
            data-size="small"
            aria-describedby={describedBy}
            href={routeHash({ page: 'developer', tab: 'server', item: null })}
          >
            {t('settings.server_open')}
          </a>
        )}
      </SettingRow>
    </SettingsSection>
  );
}

/** An address or a path, to be copied. */
export function PathRow(props: { label: string; hint?: string; path: string; copy: string }) {
  const { label, hint, path, copy } = props;
  return (
    <div className="setting-block">
      <div className="setting-name">
        <span className="setting-label">{label}</span>
        {hint && <p className="field-hint">{hint}</p>}
      </div>
      <div className="copy-field">
        <code>{path}</code>
        <CopyIconButton text={path} label={copy} />
      </div>
    </div>
  );
}
