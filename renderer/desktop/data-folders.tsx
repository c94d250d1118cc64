import { FileText, FolderOpen } from 'lucide-react';
import { desktop } from '../api/bridge.js';
import { t } from '../i18n/i18n.js';
import { useAct } from '../shell/act.js';

/** Opens what Pilotlight keeps in the system's file manager. Nothing in a browser. */
export function DataFolders() {
  const act = useAct();
  if (!desktop) return null;
  const bridge = desktop;
  return (
    <div className="update-status">
      <button
        type="button"
        className="button"
        data-size="small"
        onClick={() => void act('folder', () => bridge.openDataFolder())}
      >
        <FolderOpen size={14} aria-hidden="true" />
        {t('desktop.open_data_folder')}
      </button>
      <button
        type="button"
        className="button"
        data-size="small"
        onClick={() => void act('folder', () => bridge.showLog())}
      >
        <FileText size={14} aria-hidden="true" />
        {t('desktop.show_log')}
      </button>
    </div>
  );
}
