import { KeyRound, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { ApiKey, MadeApiKey, ServingInfo } from '../../../protocol/serving.js';
import { messageOf } from '../../api/error.js';
import { makeApiKey, removeApiKey } from '../../api/serving.js';
import { currentLanguage, t } from '../../i18n/i18n.js';
import { SettingsSection } from '../../settings/setting.js';
import { TextSetting } from '../../settings/text-setting.js';
import { useAct } from '../../shell/act.js';
import { IconButton } from '../../shell/icon-button.js';

interface KeySettingsProps {
  info: ServingInfo;
  keys: readonly ApiKey[];
  onMade: (made: MadeApiKey) => void;
  onChange: () => void;
}

/** API keys by name. */
export function KeySettings({ info, keys, onMade, onChange }: KeySettingsProps) {
  const act = useAct();
  const [asked, setAsked] = useState<string | null>(null);
  const make = async (name: string) => {
    if (name === '') return null;
    try {
      onMade(await makeApiKey(name));
      return null;
    } catch (cause) {
      return messageOf(cause);
    }
  };
  const revoke = async (name: string) => {
    setAsked(null);
    if (await act('keys', () => removeApiKey(name))) onChange();
  };
  const made = new Intl.DateTimeFormat(currentLanguage(), { dateStyle: 'medium' });
  return (
    <SettingsSection title={t('developer.keys')} text={t('developer.keys_text')}>
      {!info.keys_needed && <p className="given">{t('developer.keys_none')}</p>}
      {info.start_keys > 0 && (
        <p className="given">{t('developer.keys_start', { count: info.start_keys })}</p>
      )}
      {keys.length > 0 && (
        <ul className="api-keys">
          {keys.map(({ name, created }) => (
            <li key={name} className="api-key" data-testid={`key-${name}`}>
              <KeyRound size={16} aria-hidden="true" />
              <span className="api-key-name" dir="auto">
                {name}
              </span>
              {asked === name ? (
                <span className="api-key-ask">
                  <button
                    type="button"
                    className="button"
                    data-size="small"
                    data-kind="danger"
                    // biome-ignore lint/a11y/noAutofocus: the question takes the place of the button that was pressed
                    autoFocus
                    onClick={() => void revoke(name)}
                  >
                    {t('developer.key_revoke_now')}
                  </button>
                  <button
                    type="button"
                    className="button"
                    data-size="small"
                    onClick={() => setAsked(null)}
                  >
                    {t('common.cancel')}
                  </button>
                </span>
              ) : (
                <>
                  <span className="api-key-made">
                    {t('developer.key_created', { date: made.format(new Date(created)) })}
                  </span>
                  <IconButton
                    size="small"
                    label={t('developer.key_revoke', { name })}
                    icon={<Trash2 size={15} aria-hidden="true" />}
                    onClick={() => setAsked(name)}
                  />
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      <TextSetting
        label={t('developer.key_new')}
        hint={t('developer.key_new_hint')}
        value=""
        placeholder="laptop"
        action={t('developer.key_make')}
        onSave={make}
      />
    </SettingsSection>
  );
}
