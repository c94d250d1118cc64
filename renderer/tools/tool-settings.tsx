import { CloudOff, Plus, Wrench } from 'lucide-react';
import { useState } from 'react';
import type { McpServer, McpServerConfig } from '../../protocol/mcp.js';
import { ApiError } from '../api/error.js';
import {
  patchToolServer,
  putToolServers,
  removeToolServer,
  restartToolServer,
} from '../api/mcp.js';
import { t } from '../i18n/i18n.js';
import { SettingPlace, SettingsSection } from '../settings/setting.js';
import { useAct } from '../shell/act.js';
import { EmptyState } from '../shell/empty-state.js';
import { RemoveDialog } from './remove-dialog.js';
import { ServerCard } from './server-card.js';
import { ServerDialog } from './server-dialog.js';
import { toolServers, useToolServers } from './use-tool-servers.js';

/** The person's tool servers. @param changes See useToolServers. */
export function ToolSettings({ changes }: { changes: number | null }) {
  const { value: servers, failure } = useToolServers(changes);
  const [edited, setEdited] = useState<McpServer | 'new' | null>(null);
  const [removed, setRemoved] = useState<string | null>(null);
  const act = useAct();
  const run = (action: () => Promise<McpServer[]>) =>
    void act('tools', async () => {
      const refused = await toolServers.change(action);
      if (refused !== null) throw new ApiError('refused', refused);
    });
  const save = async (configs: Record<string, McpServerConfig>) => {
    const wasEnabled = edited !== 'new' && edited?.enabled === true;
    const refused = await toolServers.change(async () => {
      const changed = await putToolServers(configs);
      // Whoever changes one by hand has looked at it: it is on as before.
      return edited !== 'new' && edited !== null && wasEnabled
        ? patchToolServer(edited.id, { enabled: true })
        : changed;
    });
    if (refused === null) setEdited(null);
    return refused;
  };
  const add = (
    <button type="button" className="button" onClick={() => setEdited('new')}>
      <Plus size={16} aria-hidden="true" />
      {t('tools.add')}
    </button>
  );
  return (
    <SettingsSection title={t('tools.title')} text={t('tools.text')}>
      {servers === null && failure === null && (
        <p className="page-note" role="status">
          {t('tools.loading')}
        </p>
      )}
      {servers === null && failure !== null && (
        <EmptyState icon={CloudOff} title={t('tools.failed')} text={failure} failed>
          <button type="button" className="button" onClick={() => void toolServers.load()}>
            {t('common.retry')}
          </button>
        </EmptyState>
      )}
      {servers?.length === 0 && (
        <SettingPlace id="tools">
          <EmptyState icon={Wrench} title={t('tools.empty_title')} text={t('tools.empty_text')}>
            {add}
          </EmptyState>
        </SettingPlace>
      )}
      {servers !== null && servers.length > 0 && (
        <ul className="cards">
          {servers.map((server) => (
            <ServerCard
              key={server.id}
              server={server}
              onPatch={(patch) => run(() => patchToolServer(server.id, patch))}
              onRestart={() => run(() => restartToolServer(server.id))}
              onEdit={() => setEdited(server)}
              onRemove={() => setRemoved(server.id)}
            />
          ))}
        </ul>
      )}
      {servers !== null && servers.length > 0 && <SettingPlace id="tools">{add}</SettingPlace>}
      <ServerDialog edited={edited} onClose={() => setEdited(null)} onSave={save} />
      <RemoveDialog
        name={removed}
        onClose={() => setRemoved(null)}
        onRemove={(name) => {
          setRemoved(null);
          run(() => removeToolServer(name));
        }}
      />
    </SettingsSection>
  );
}
