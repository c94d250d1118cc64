import type { ServerState } from '../../protocol/models.js';
import { DiscoverView } from '../discover/discover-view.js';
import type { SearchStore } from '../discover/search-store.js';
import { isUnderWay } from '../downloads/download-words.js';
import { DownloadsView } from '../downloads/downloads-view.js';
import { DeleteDialog } from '../installed/delete-dialog.js';
import { InstalledView } from '../installed/installed-view.js';
import { useModelActions } from '../installed/use-model-actions.js';
import { ModelSettingsPanel } from '../model-settings/model-settings-panel.js';
import type { ModelsTab } from '../shell/route.js';
import { useEscapeToChat } from '../shell/use-escape-to-chat.js';
import { navigate } from '../shell/use-route.js';
import { ModelsPage } from './models-page.js';

interface ModelsViewProps {
  tab: ModelsTab;
  item: string | null;
  server: ServerState | null;
  /** Outlives the page: its results are found again. */
  search: SearchStore;
  /** Makes a model the current one, and shows the chat. */
  onUse: (id: string) => void;
  onAddFile: () => void;
}

/** The models page with all its parts. */
export function ModelsView(props: ModelsViewProps) {
  const { tab, item, server, search, onUse, onAddFile } = props;
  const { actions, deleting, setDeleting, remove } = useModelActions(onUse);

  const settingsOf =
    tab === 'installed' ? (server?.models.find(({ id }) => id === item) ?? null) : null;

  useEscapeToChat();

  return (
    <>
      <ModelsPage tab={tab} underWay={server?.downloads.filter(isUnderWay).length ?? 0}>
        {{
          installed: <InstalledView server={server} actions={actions} onAddFile={onAddFile} />,
          discover: (
            <DiscoverView
              store={search}
              server={server}
              repo={tab === 'discover' ? item : null}
              onUse={onUse}
            />
          ),
          downloads: <DownloadsView server={server} onUse={onUse} />,
        }}
      </ModelsPage>
      <ModelSettingsPanel
        model={settingsOf}
        onClose={() => navigate({ page: 'models', tab: 'installed', item: null })}
      />
      <DeleteDialog model={deleting} onClose={() => setDeleting(null)} onDelete={remove} />
    </>
  );
}
