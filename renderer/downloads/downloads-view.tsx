import { Download as DownloadIcon, Search } from 'lucide-react';
import type { Download } from '../../protocol/downloads.js';
import type { ServerState } from '../../protocol/models.js';
import { pauseDownload, removeDownload, resumeDownload } from '../api/downloads.js';
import { t } from '../i18n/i18n.js';
import { useAct } from '../shell/act.js';
import { EmptyState } from '../shell/empty-state.js';
import { useNow } from '../shell/use-now.js';
import { navigate } from '../shell/use-route.js';
import { DownloadCard } from './download-card.js';
import type { DownloadAction } from './download-words.js';

interface DownloadsViewProps {
  server: ServerState | null;
  onUse: (model: string) => void;
}

/** Models on their way, newest first. */
export function DownloadsView({ server, onUse }: DownloadsViewProps) {
  const act = useAct();
  const downloads = server?.downloads ?? [];
  const now = useNow(downloads.some((download) => download.status === 'waiting'));
  const run = (download: Download, action: DownloadAction) => {
    const { id, model_id } = download;
    if (action === 'use') {
      if (model_id !== null) onUse(model_id);
      return;
    }
    const carryOut = {
      pause: pauseDownload,
      resume: resumeDownload,
      retry: resumeDownload,
      cancel: removeDownload,
      forget: removeDownload,
    }[action];
    void act('download', () => carryOut(id));
  };
  return (
    <>
      <h2 className="hidden-visually">{t('downloads.title')}</h2>
      {downloads.length === 0 && (
        <EmptyState
          icon={DownloadIcon}
          title={t('downloads.empty')}
          text={t('downloads.empty_how')}
        >
          <button
            type="button"
            className="button"
            data-kind="primary"
            onClick={() => navigate({ page: 'models', tab: 'discover', item: null })}
          >
            <Search size={16} aria-hidden="true" />
            {t('downloads.discover')}
          </button>
        </EmptyState>
      )}
      <ul className="cards">
        {downloads.toReversed().map((download) => (
          <DownloadCard key={download.id} download={download} now={now} onAction={run} />
        ))}
      </ul>
    </>
  );
}
