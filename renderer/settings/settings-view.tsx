import { CloudOff } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ServerState } from '../../protocol/models.js';
import type { ServerSettings, SettingsPatch } from '../../protocol/settings.js';
import { changeSettings, serverSettings } from '../api/settings.js';
import { EmptyState } from '../shell/empty-state.js';
import { ResourceStore } from '../shell/resource-store.js';
import { useStore } from '../shell/use-store.js';
import { FolderSettings } from './folder-settings.js';
import { HubSettings } from './hub-settings.js';
import { MemorySettings } from './memory-settings.js';
import { RpcSettings } from './rpc-settings.js';
import { UpstreamSettings } from './upstream-settings.js';

const words = {
  title: 'Settings of models',
  loading: 'Reading the settings…',
  failed: 'The settings cannot be shown',
  retry: 'Try again',
};

/** What the parts of the settings are given. */
export interface SettingsProps {
  settings: ServerSettings;
  /** Gives null, or why it did not work. */
  change: (patch: SettingsPatch) => Promise<string | null>;
}

interface SettingsViewProps {
  server: ServerState | null;
  onFolderFailed: () => void;
}

/** What is set for all models. */
export function SettingsView({ server, onFolderFailed }: SettingsViewProps) {
  const [store] = useState(() => new ResourceStore(serverSettings));
  const { value, failure } = useStore(store);
  useEffect(() => {
    void store.load();
  }, [store]);
  if (value === null) {
    return failure === null ? (
      <p className="page-note" role="status">
        {words.loading}
      </p>
    ) : (
      <EmptyState icon={CloudOff} title={words.failed} text={failure} failed>
        <button type="button" className="button" onClick={() => void store.load()}>
          {words.retry}
        </button>
      </EmptyState>
    );
  }
  const shared: SettingsProps = {
    settings: value,
    change: (patch) => store.change(() => changeSettings(patch)),
  };
  return (
    <div className="settings">
      <h2 className="hidden-visually">{words.title}</h2>
      <FolderSettings
        {...shared}
        folder={server?.models_dir ?? null}
        onFolderFailed={onFolderFailed}
      />
      <MemorySettings {...shared} budget={server?.memory.budget_bytes ?? null} />
      <HubSettings {...shared} />
      <UpstreamSettings />
      <RpcSettings {...shared} />
    </div>
  );
}
