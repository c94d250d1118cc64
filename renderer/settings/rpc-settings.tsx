import { ListSetting } from './list-setting.js';
import { SettingsSection } from './setting.js';
import type { SettingsProps } from './settings-view.js';

const words = {
  title: 'One model over several machines',
  text: 'Models that are too big for this machine are spread over others that run “pilotlight rpc-worker”. Their connection is neither locked nor encrypted: use it in a network of your own only.',
  label: 'Add a machine',
  hint: 'Its private address and port.',
  placeholder: '192.168.1.20:50052',
  add: 'Add',
  remove: (host: string) => `Remove ${host}`,
};

/** Other machines whose memory is used for big models. */
export function RpcSettings({ settings, change }: SettingsProps) {
  return (
    <SettingsSection title={words.title} text={words.text}>
      <ListSetting
        label={words.label}
        hint={words.hint}
        placeholder={words.placeholder}
        add={words.add}
        values={settings.rpc_hosts}
        removeLabel={words.remove}
        onSave={(rpc_hosts) => change({ rpc_hosts })}
      />
    </SettingsSection>
  );
}
