import { CloudOff } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import type { ServerState } from '../../protocol/models.js';
import type { ServerSettings as Settings, SettingsPatch } from '../../protocol/settings.js';
import { changeSettings, serverSettings } from '../api/settings.js';
import { t } from '../i18n/i18n.js';
import { EmptyState } from '../shell/empty-state.js';
import { ResourceStore } from '../shell/resource-store.js';
import type { SettingsSectionName } from '../shell/route.js';
import { useStore } from '../shell/use-store.js';
import { ToolSettings } from '../tools/tool-settings.js';
import { TransferSettings } from '../transfer/transfer-settings.js';
import { AboutSettings } from './about-settings.js';
import { AppearanceSettings } from './appearance-settings.js';
import { DataSettings } from './data-settings.js';
import { FolderSettings } from './folder-settings.js';
import { GeneralSettings } from './general-settings.js';
import { HubSettings } from './hub-settings.js';
import { MemorySettings } from './memory-settings.js';
import { RpcSettings } from './rpc-settings.js';
import { ServerSettings } from './server-settings.js';
import { SoughtSetting } from './setting.js';
import { SettingsPage } from './settings-page.js';
import { UpstreamSettings } from './upstream-settings.js';

/** What the parts of the settings are given. */
export interface SettingsProps {
  settings: Settings;
  /** Gives null, or why it did not work. */
  change: (patch: SettingsPatch) => Promise<string | null>;
}

interface SettingsViewProps {
  section: SettingsSectionName;
  /** The setting that was searched for. */
  item: string | null;
  server: ServerState | null;
  onFolderFailed: () => void;
}

/** All settings, one part at a time. */
export function SettingsView({ section, item, server, onFolderFailed }: SettingsViewProps) {
  const modelsDir = server?.models_dir ?? null;
  const parts: Readonly<Record<SettingsSectionName, () => ReactNode>> = {
    general: () => <GeneralSettings />,
    appearance: () => <AppearanceSettings />,
    models: () => (
      <Stored>
        {(shared) => <MemorySettings {...shared} budget={server?.memory.budget_bytes ?? null} />}
      </Stored>
    ),
    folders: () => (
      <Stored>
        {(shared) => (
          <FolderSettings {...shared} folder={modelsDir} onFolderFailed={onFolderFailed} />
        )}
      </Stored>
    ),
    hub: () => <Stored>{(shared) => <HubSettings {...shared} />}</Stored>,
    tools: () => <ToolSettings changes={server?.tool_changes ?? null} />,
    upstreams: () => <UpstreamSettings />,
    rpc: () => <Stored>{(shared) => <RpcSettings {...shared} />}</Stored>,
    server: () => <ServerSettings />,
    data: () => (
      <>
        <TransferSettings />
        <DataSettings modelsDir={modelsDir} onFolderFailed={onFolderFailed} />
      </>
    ),
    about: () => <AboutSettings version={server?.version ?? null} />,
  };
  return (
    <SettingsPage section={section}>
      <SoughtSetting value={item}>{parts[section]()}</SoughtSetting>
    </SettingsPage>
  );
}

/** What the server keeps besides the preferences, which are in its state. */
function Stored({ children }: { children: (shared: SettingsProps) => ReactNode }) {
  const [store] = useState(() => new ResourceStore(serverSettings));
  const { value, failure } = useStore(store);
  useEffect(() => {
    void store.load();
  }, [store]);
  if (value !== null) {
    return children({
      settings: value,
      change: (patch) => store.change(() => changeSettings(patch)),
    });
  }
  if (failure === null) {
    return (
      <p className="page-note" role="status">
        {t('settings.loading')}
      </p>
    );
  }
  return (
    <EmptyState icon={CloudOff} title={t('settings.failed')} text={failure} failed>
      <button type="button" className="button" onClick={() => void store.load()}>
        {t('common.retry')}
      </button>
    </EmptyState>
  );
}
