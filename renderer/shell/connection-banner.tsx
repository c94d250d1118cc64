import { useEffect, useState } from 'react';
import type { Connection } from '../api/server-link.js';

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
        <span className="hidden-visually">{state === 'online' ? 'Connected' : 'Connecting…'}</span>
      )}
      {shown && (
        <div className="banner" data-state={state}>
          {state === 'connecting' && <span>Connecting…</span>}
          {connection.state === 'offline' && (
            <>
              <span>{connection.message} Trying again…</span>
              <button type="button" className="link-button" onClick={onRetry}>
                Try now
              </button>
            </>
          )}
          {state === 'locked' && (
            <>
              <span>This server opens with a key.</span>
              <button type="button" className="link-button" onClick={onEnterKey}>
                Enter the key
              </button>
            </>
          )}
        </div>
      )}
    </div>
  );
}
