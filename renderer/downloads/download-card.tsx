import { MessageSquare, Pause, Play, RotateCw, TriangleAlert, X } from 'lucide-react';
import { useId } from 'react';
import type { Download } from '../../protocol/downloads.js';
import { t } from '../i18n/i18n.js';
import { IconButton } from '../shell/icon-button.js';
import {
  type DownloadAction,
  downloadActions,
  downloadFigures,
  downloadFraction,
  downloadState,
} from './download-words.js';

const icons = {
  ...{ pause: Pause, resume: Play, retry: RotateCw, cancel: X },
  ...{ use: MessageSquare, forget: X },
};

interface DownloadCardProps {
  download: Download;
  /** Unix milliseconds. */
  now: number;
  onAction: (download: Download, action: DownloadAction) => void;
}

/** One model on its way. */
export function DownloadCard({ download, now, onAction }: DownloadCardProps) {
  const { id, name, repo, status, reason } = download;
  const title = useId();
  const fraction = downloadFraction(download);
  const percent = fraction === null ? undefined : Math.floor(fraction * 100);
  return (
    <li className="card" data-testid={`download-${name}`} data-status={status}>
      <article className="download" aria-labelledby={title} data-id={id}>
        <div className="card-main">
          <h3 id={title} dir="auto" title={name}>
            {name}
          </h3>
          <p className="card-origin" dir="auto">
            {repo}
          </p>
          {status !== 'done' && (
            <div
              className="bar"
              data-size="large"
              data-tone={status === 'failed' ? 'bad' : undefined}
              data-still={status === 'paused' ? '' : undefined}
              role="progressbar"
              aria-labelledby={title}
              aria-valuemin={0}
              aria-valuemax={100}
              aria-valuenow={percent}
            >
              <span style={{ width: `${(fraction ?? 0) * 100}%` }} />
            </div>
          )}
          <p className="card-state" data-tone={toneOf(download)}>
            {status === 'failed' && <TriangleAlert size={14} aria-hidden="true" />}
            {[downloadState(download, now), ...downloadFigures(download)].map((figure) => (
              <span key={figure}>{figure}</span>
            ))}
          </p>
          {reason && (
            <p
              className={status === 'failed' ? 'card-reason' : 'card-note'}
              dir="auto"
              data-testid="download-reason"
            >
              {reason}
            </p>
          )}
        </div>
        <div className="card-actions">
          {downloadActions(download).map((action) => (
            <ActionButton key={action} action={action} onClick={() => onAction(download, action)} />
          ))}
        </div>
      </article>
    </li>
  );
}

function ActionButton({ action, onClick }: { action: DownloadAction; onClick: () => void }) {
  const Icon = icons[action];
  if (action === 'cancel' || action === 'forget') {
    return (
      <IconButton
        label={t(`downloads.${action}`)}
        icon={<Icon size={17} aria-hidden="true" />}
        onClick={onClick}
      />
    );
  }
  return (
    <button
      type="button"
      className="button"
      data-size="small"
      data-kind={action === 'use' ? 'primary' : undefined}
      onClick={onClick}
    >
      <Icon size={15} aria-hidden="true" />
      {t(`downloads.${action}`)}
    </button>
  );
}

function toneOf({ status }: Download): 'good' | 'bad' | 'busy' | 'idle' {
  if (status === 'done') return 'good';
  if (status === 'failed') return 'bad';
  return status === 'downloading' || status === 'verifying' ? 'busy' : 'idle';
}
