import { KeyRound, TriangleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { HubAccount } from '../../protocol/hub.js';
import { deleteHubToken, hubAccount, putHubToken } from '../api/hub.js';
import { ResourceStore } from '../shell/resource-store.js';
import { useStore } from '../shell/use-store.js';
import { SettingsSection } from './setting.js';
import type { SettingsProps } from './settings-view.js';
import { TextSetting } from './text-setting.js';

const HUGGING_FACE = 'https://huggingface.co';

const words = {
  title: 'Hugging Face',
  text: 'Where models are searched for and downloaded from. A token is needed for gated models only.',
  endpoint: 'Address of a mirror',
  endpointHint: 'Empty: Hugging Face itself.',
  endpointOfEnvironment: (address: string) =>
    `Empty: ${address}, of the environment (HF_ENDPOINT).`,
  token: 'Access token',
  tokenNew: 'Another access token',
  tokenHint: 'Made on Hugging Face, under Settings → Access Tokens; one that may read is enough.',
  tokenPlaceholder: 'hf_…',
  remove: 'Remove the token',
  keychain: 'A token is kept in the keychain of this system.',
  file: 'A token is kept in a file that only you can read.',
  environment: 'The token comes from the environment (HF_TOKEN).',
  user: (name: string) => `It is ${name}’s.`,
};

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
    <SettingsSection title={words.title} text={words.text}>
      <TextSetting
        label={words.endpoint}
        hint={isOwn ? words.endpointHint : words.endpointOfEnvironment(endpoint)}
        type="url"
        value={settings.hub_endpoint ?? ''}
        placeholder={endpoint}
        onSave={(value) => change({ hub_endpoint: value === '' ? null : value })}
      />
      {account?.has_token && (
        <Account account={account} onRemove={() => void store.change(deleteHubToken)} />
      )}
      <TextSetting
        label={account?.has_token ? words.tokenNew : words.token}
        hint={words.tokenHint}
        type="password"
        value=""
        placeholder={words.tokenPlaceholder}
        onSave={(token) => store.change(() => putHubToken(token))}
      />
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
        {stored_in !== null && <span>{words[stored_in]} </span>}
        {user !== null && <span>{words.user(user)}</span>}
        {reason !== null && (
          <span className="setting-failure" dir="auto">
            {reason}
          </span>
        )}
      </p>
      {stored_in !== 'environment' && (
        <button type="button" className="button" data-size="small" onClick={onRemove}>
          {words.remove}
        </button>
      )}
    </div>
  );
}
