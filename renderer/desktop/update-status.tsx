import type { UpdateState } from '../../protocol/bridge.js';
import { desktop } from '../api/bridge.js';
import { t } from '../i18n/i18n.js';
import { openLink } from '../shell/open-link.js';
import { useUpdate } from './use-update.js';

/** How the app stands with newer versions, and what can be done about it. Nothing in a browser. */
export function UpdateStatus() {
  const update = useUpdate();
  if (update === null) return null;
  return (
    <div className="update-status" data-testid="update-status" data-kind={update.kind}>
      <p className="field-hint" role="status">
        {updateWords(update)}
      </p>
      <UpdateActions update={update} />
      {'notes' in update && update.notes !== '' && (
        <details className="licence">
          <summary>
            <span className="setting-label">{t('desktop.notes')}</span>
          </summary>
          <pre dir="auto">{update.notes}</pre>
        </details>
      )}
    </div>
  );
}

function UpdateActions({ update }: { update: UpdateState }) {
  switch (update.kind) {
    case 'unsupported':
    case 'checking':
    case 'downloading':
      return null;
    case 'off':
    case 'current':
    case 'failed':
      return <Action label={t('desktop.check')} run={() => desktop?.checkForUpdate()} />;
    case 'ready':
      return <Action label={t('desktop.restart')} run={() => desktop?.installUpdate()} />;
    case 'available': {
      const { page } = update;
      if (update.installable) {
        return <Action label={t('desktop.download')} run={() => desktop?.downloadUpdate()} />;
      }
      if (page === null) return null;
      return (
        <a
          className="button"
          data-size="small"
          href={page}
          onClick={(event) => openLink(event, page)}
        >
          {t('desktop.get')}
        </a>
      );
    }
  }
}

function Action({ label, run }: { label: string; run: () => unknown }) {
  return (
    <button type="button" className="button" data-size="small" onClick={() => void run()}>
      {label}
    </button>
  );
}

function updateWords(update: UpdateState): string {
  switch (update.kind) {
    case 'unsupported':
      return t(update.reason === 'from_source' ? 'desktop.from_source' : 'desktop.no_address');
    case 'off':
      return '';
    case 'current':
      return update.checked_at === null ? '' : t('desktop.current');
    case 'checking':
      return t('desktop.checking');
    case 'available':
      return t('desktop.available', { version: update.version });
    case 'downloading':
      return t('desktop.downloading', {
        version: update.version,
        percent: Math.floor(update.fraction * 100),
      });
    case 'ready':
      return t('desktop.ready', { version: update.version });
    case 'failed':
      return t(`desktop.failed_${update.reason}`);
  }
}
