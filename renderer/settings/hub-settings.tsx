import { KeyRound, TriangleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { HubAccount } from '../../protocol/hub.js';
import { deleteHubToken, hubAccount, putHubToken } from '../api/hub.js';
import { t } from '../i18n/i18n.js';
import { ResourceStore } from '../shell/resource-store.js';
import { useStore } from '../shell/use-store.js';
import { SettingPlace, SettingsSection } from './setting.js';
import type { SettingsProps } from './settings-view.js';
import { TextSetting } from './text-setting.js';

const HUGGING_FACE = 'https://huggingface.co';

/** The hub, and the account there. */
export function HubSettings({ settings, change }: SettingsProps) {
  const [store] = useState(() => new ResourceStore(hubAccount));
  const { value: account, failure } = useStore(store);
  useEffect(() => {
    void store.load();
  }, [store]);
  const endpoint = account?.default_endpoint ?? HUGGING_FACE;
  const isOwn = endpoint === HUGGING_FACE;
  return (
    <SettingsSection title={t('settings.hub')} text={t('settings.hub_text')}>
      <SettingPlace id="hub_endpoint">
        <TextSetting
          label={t('settings.hub_endpoint')}
          hint={
            isOwn
              ? t('settings.hub_endpoint_hint')
              : t('settings.hub_endpoint_environment', { address: endpoint })
          }
          type="url"
          value={settings.hub_endpoint ?? ''}
          placeholder={endpoint}
          onSave={(value) => change({ hub_endpoint: value === '' ? null : value })}
        />
      </SettingPlace>
      <SettingPlace id="hub_token">
        {account?.has_token && (
          <Account account={account} onRemove={() => void store.change(deleteHubToken)} />
        )}
        <TextSetting
          label={t(account?.has_token ? 'settings.hub_token_new' : 'settings.hub_token')}
          hint={t('settings.hub_token_hint')}
          type="password"
          value=""
          placeholder="hf_…"
          onSave={(token) => store.change(() => putHubToken(token))}
        />
      </SettingPlace>
      {failure !== null && (
        <p className="setting-failure" role="alert" dir="auto">
          {failure}
        </p>
      )}
    </SettingsSection>
  );
}

function Account({ account, onRemove }: { account: HubAccount; onRemove: () => void }) {
  const { stored_in, user, reason } = account;
  return (
    <div className="account">
      {reason === null ? (
        <KeyRound size={16} aria-hidden="true" />
      ) : (
        <TriangleAlert size={16} aria-hidden="true" data-tone="bad" />
      )}
      <p>
        {stored_in !== null && <span>{t(`settings.hub_${stored_in}`)} </span>}
        {user !== null && <span>{t('settings.hub_user', { name: user })}</span>}
        {reason !== null && (
          <span className="setting-failure" dir="auto">
            {reason}
          </span>
        )}
      </p>
      {stored_in !== 'environment' && (
        <button type="button" className="button" data-size="small" onClick={onRemove}>
          {t('settings.hub_token_remove')}
        </button>
      )}
    </div>
  );
}
