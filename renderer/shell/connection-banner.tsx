import { useEffect, useState } from 'react';
import type { Connection } from '../api/live-stream.js';
import { t } from '../i18n/i18n.js';

/** A connection that is back within this time is not worth a word. */
const PATIENCE_MS = 600;

interface ConnectionBannerProps {
  connection: Connection;
  onRetry: () => void;
  onEnterKey: () => void;
}

/** Says when the server is not there; silent, but present for screen readers, when it is. */
export function ConnectionBanner({ connection, onRetry, onEnterKey }: ConnectionBannerProps) {
  const { state } = connection;
  const [patient, setPatient] = useState(true);
  useEffect(() => {
    setPatient(true);
    if (state !== 'connecting') return;
    const timer = setTimeout(() => setPatient(false), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const shown = state === 'offline' || state === 'locked' || (state === 'connecting' && !patient);
  return (
    <div role="status" data-testid="connection-state" data-state={state}>
      {!shown && (
        <span className="hidden-visually">
          {t(state === 'online' ? 'notices.connected' : 'notices.connecting')}
        </span>
      )}
      {shown && (
        <div className="banner" data-state={state}>
          {state === 'connecting' && <span>{t('notices.connecting')}</span>}
          {connection.state === 'offline' && (
            <>
              <span>{t('notices.offline', { message: connection.message })}</span>
              <button type="button" className="link-button" onClick={onRetry}>
                {t('notices.try_now')}
              </button>
            </>
          )}
          {state === 'locked' && (
            <>
              <span>{t('notices.locked')}</span>
              <button type="button" className="link-button" onClick={onEnterKey}>
                {t('notices.enter_key')}
              </button>
            </>
          )}
        </div>
      )}
    </div>
  );
}
