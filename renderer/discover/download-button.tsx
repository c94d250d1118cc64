import { Download as DownloadIcon, MessageSquare } from 'lucide-react';
import type { HubModelDetails, HubVariant } from '../../protocol/hub.js';
import type { ServerState } from '../../protocol/models.js';
import { startDownload } from '../api/downloads.js';
import { downloadFraction } from '../downloads/download-words.js';
import { t } from '../i18n/i18n.js';
import { useAct } from '../shell/act.js';
import { formatBytes, formatPercent } from '../shell/format.js';
import { routeHash } from '../shell/route.js';

interface DownloadButtonProps {
  details: HubModelDetails;
  variant: HubVariant;
  server: ServerState | null;
  onUse: (model: string) => void;
}

/** The way to have the chosen variant; where it is here already, the way to use it. */
export function DownloadButton({ details, variant, server, onUse }: DownloadButtonProps) {
  const act = useAct();
  const download = server?.downloads.findLast(
    ({ repo, name }) => repo === details.repo && name === variant.name,
  );
  const arrived = download?.status === 'done' ? download.model_id : null;
  const installed = variant.installed_as ?? arrived;
  const there = server?.models.some(({ id }) => id === installed) ?? false;
  if (installed !== null && there) {
    return (
      <button
        type="button"
        className="button"
        data-kind="primary"
        data-testid="use-installed"
        onClick={() => onUse(installed)}
      >
        <MessageSquare size={16} aria-hidden="true" />
        {t('discover.use')}
      </button>
    );
  }
  if (download && download.status !== 'done') {
    const fraction = downloadFraction(download);
    return (
      <p className="repo-under-way">
        {fraction === null
          ? t('discover.under_way')
          : t('discover.under_way_at', { percent: formatPercent(fraction) })}
        <a
          className="link-button"
          href={routeHash({ page: 'models', tab: 'downloads', item: null })}
        >
          {t('discover.show_downloads')}
        </a>
      </p>
    );
  }
  const size = formatBytes(variant.size_bytes);
  const start = () =>
    void act('download', () => startDownload(details.repo, details.revision, variant.name));
  return (
    <button
      type="button"
      className="button"
      data-kind="primary"
      data-testid="download"
      onClick={start}
    >
      <DownloadIcon size={16} aria-hidden="true" />
      {t(variant.fit?.verdict === 'too_big' ? 'discover.download_anyway' : 'discover.download', {
        size,
      })}
    </button>
  );
}
