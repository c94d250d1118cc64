import { CloudOff } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ServerState } from '../../../protocol/models.js';
import type { MadeApiKey, ServingInfo } from '../../../protocol/serving.js';
import type { ServerSettings, SettingsPatch } from '../../../protocol/settings.js';
import { apiKeys, servingInfo } from '../../api/serving.js';
import { changeSettings, serverSettings } from '../../api/settings.js';
import { t } from '../../i18n/i18n.js';
import { EmptyState } from '../../shell/empty-state.js';
import { ResourceStore } from '../../shell/resource-store.js';
import { useStore } from '../../shell/use-store.js';
import { AddressSettings } from './address-settings.js';
import { KeyMadeDialog } from './key-made-dialog.js';
import { KeySettings } from './key-settings.js';
import { NetworkSettings } from './network-settings.js';
import { OriginSettings } from './origin-settings.js';
import { ServerCard } from './server-card.js';

/** What the parts are given. */
export interface ServerProps {
  info: ServingInfo;
  settings: ServerSettings;
  /** Gives null, or why it did not work. */
  change: (patch: SettingsPatch) => Promise<string | null>;
}

interface ServerTabProps {
  server: ServerState | null;
  /** The key that was made last, while the page is open. */
  made: MadeApiKey | null;
  onMade: (made: MadeApiKey) => void;
}

/** Where the server is, and who may use it. */
export function ServerTab({ server, made, onMade }: ServerTabProps) {
  const [settings] = useState(() => new ResourceStore(serverSettings));
  const [info] = useState(() => new ResourceStore(servingInfo));
  const [keys] = useState(() => new ResourceStore(apiKeys));
  const [shown, setShown] = useState(false);
  const [now, place, known] = [useStore(settings), useStore(info), useStore(keys)];
  const serving = server?.serving ?? true;
  const url = server?.url ?? null;
  // Others change it too: the tray, another window, the command line.
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is read depends on what the server says of itself
  useEffect(() => {
    void settings.load();
    void info.load();
    void keys.load();
  }, [settings, info, keys, serving, url]);

  const failure = now.failure ?? place.failure ?? known.failure;
  if (now.value === null || place.value === null || known.value === null) {
    return failure === null ? (
      <p className="page-note" role="status">
        {t('developer.reading')}
      </p>
    ) : (
      <EmptyState icon={CloudOff} title={t('developer.server_failed')} text={failure} failed />
    );
  }
  const readAgain = () => Promise.all([info.load(), keys.load()]);
  const change = async (patch: SettingsPatch) => {
    const refused = await settings.change(() => changeSettings(patch));
    if (refused === null) await info.load();
    return refused;
  };
  const shared: ServerProps = { info: place.value, settings: now.value, change };
  const tellKey = (key: MadeApiKey) => {
    onMade(key);
    setShown(true);
    void readAgain();
  };
  return (
    <div className="developer-server">
      <ServerCard {...shared} serving={serving} />
      <AddressSettings {...shared} />
      <NetworkSettings {...shared} hasKeys={known.value.length > 0} onMade={tellKey} />
      <KeySettings info={place.value} keys={known.value} onMade={tellKey} onChange={readAgain} />
      <OriginSettings {...shared} />
      <KeyMadeDialog made={shown ? made : null} onClose={() => setShown(false)} />
    </div>
  );
}
