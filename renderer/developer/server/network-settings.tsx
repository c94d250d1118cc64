import { AlertDialog } from '@base-ui/react/alert-dialog';
import { useState } from 'react';
import type { MadeApiKey } from '../../../protocol/serving.js';
import { messageOf } from '../../api/error.js';
import { makeApiKey } from '../../api/serving.js';
import { t } from '../../i18n/i18n.js';
import { SettingsSection, SwitchSetting } from '../../settings/setting.js';
import { CopyIconButton } from '../../shell/copy-button.js';
import type { ServerProps } from './server-tab.js';

const THIS_MACHINE = '127.0.0.1';
const EVERY_NETWORK = '0.0.0.0';
/** Name of the key that is made where there is none. */
const NETWORK_KEY = 'network';

interface NetworkSettingsProps extends ServerProps {
  /** Of those with a name. */
  hasKeys: boolean;
  onMade: (made: MadeApiKey) => void;
}

/** Other machines: let in with a key only, after it was said what that means. */
export function NetworkSettings(props: NetworkSettingsProps) {
  const { info, change, hasKeys, onMade } = props;
  const [asks, setAsks] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const isGiven = info.given.includes('host');
  const needsKey = !hasKeys && info.start_keys === 0;

  const open = async () => {
    setAsks(false);
    try {
      const made = needsKey ? await makeApiKey(NETWORK_KEY) : null;
      const refused = await change({ host: EVERY_NETWORK });
      setFailure(refused);
      if (made) onMade(made);
    } catch (cause) {
      setFailure(messageOf(cause));
    }
  };
  return (
    <SettingsSection title={t('developer.network')} text={t('developer.network_text')}>
      {isGiven ? (
        <p className="given">{t('developer.host_given', { host: info.host })}</p>
      ) : (
        <SwitchSetting
          label={t('developer.network_label')}
          checked={info.network}
          onChange={async (wanted) => {
            if (wanted) setAsks(true);
            else setFailure(await change({ host: THIS_MACHINE }));
          }}
        />
      )}
      {failure !== null && (
        <p className="setting-failure" role="alert" dir="auto">
          {failure}
        </p>
      )}
      {info.network && (
        <>
          <p className="warning" role="note">
            {t('developer.network_warning')}
          </p>
          <ul className="addresses" aria-label={t('developer.addresses')}>
            {info.urls.map((url) => (
              <li key={url} className="copy-field">
                <code>{`${url}/v1`}</code>
                <CopyIconButton text={`${url}/v1`} label={t('developer.copy_address')} />
              </li>
            ))}
          </ul>
        </>
      )}
      <AlertDialog.Root open={asks} onOpenChange={setAsks}>
        <AlertDialog.Portal>
          <AlertDialog.Backdrop className="backdrop" />
          <AlertDialog.Popup className="dialog">
            <AlertDialog.Title>{t('developer.network_ask')}</AlertDialog.Title>
            <AlertDialog.Description>{t('developer.network_ask_text')}</AlertDialog.Description>
            <ul className="dialog-points">
              <li>{t('developer.network_use')}</li>
              <li>{t('developer.network_plain')}</li>
              <li>{t('developer.network_closed')}</li>
              {needsKey && <li>{t('developer.network_key')}</li>}
            </ul>
            <div className="dialog-actions">
              <AlertDialog.Close className="button">{t('common.cancel')}</AlertDialog.Close>
              <button
                type="button"
                className="button"
                data-kind="danger"
                data-testid="open-network"
                onClick={() => void open()}
              >
                {t('developer.network_open')}
              </button>
            </div>
          </AlertDialog.Popup>
        </AlertDialog.Portal>
      </AlertDialog.Root>
    </SettingsSection>
  );
}
