import { X } from 'lucide-react';
import { type FormEvent, useEffect, useState } from 'react';
import type { ServerState } from '../../../protocol/models.js';
import { cancelRequest } from '../../api/inspector.js';
import { about } from '../../api/settings.js';
import { t } from '../../i18n/i18n.js';
import { useAct } from '../../shell/act.js';
import { CopyIconButton } from '../../shell/copy-button.js';
import { IconButton } from '../../shell/icon-button.js';
import { ResourceStore } from '../../shell/resource-store.js';
import { useStore } from '../../shell/use-store.js';

interface ClosedInspectorProps {
  server: ServerState | null;
  /** The key that was entered did not open it. */
  refused: boolean;
  onKey: (key: string) => void;
}

/** In a browser the inspector asks for the person's own key; what runs can be seen and ended without. */
export function ClosedInspector({ server, refused, onKey }: ClosedInspectorProps) {
  const [key, setKey] = useState('');
  const act = useAct();
  const [place] = useState(() => new ResourceStore(about));
  const { value } = useStore(place);
  useEffect(() => void place.load(), [place]);
  // Without its folder the command would print the key of the usual one, which opens nothing here.
  const command = `pilotlight inspector key${value === null ? '' : ` --data "${value.data_dir}"`}`;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (key.trim() !== '') onKey(key.trim());
  };
  return (
    <>
      <form className="closed-inspector" onSubmit={submit}>
        <h2>{t('developer.closed')}</h2>
        <p>{t('developer.closed_text')}</p>
        <div className="copy-field">
          <code>{command}</code>
          <CopyIconButton text={command} label={t('developer.copy_command')} />
        </div>
        <div className="text-setting-line">
          <span className="input-box">
            <input
              className="input"
              type="password"
              autoComplete="off"
              aria-label={t('developer.own_key')}
              placeholder={t('developer.own_key')}
              aria-invalid={refused}
              value={key}
              onChange={(event) => setKey(event.target.value)}
            />
          </span>
          <button type="submit" className="button" data-kind="primary">
            {t('developer.open_inspector')}
          </button>
        </div>
        {refused && (
          <p className="setting-failure" role="alert">
            {t('developer.own_key_wrong')}
          </p>
        )}
      </form>
      <ul className="request-rows" aria-label={t('developer.under_way_now')}>
        {(server?.requests ?? []).map((request) => (
          <li key={request.id} className="request-row" data-tone="live" data-testid="live">
            <div className="request-open">
              <span className="request-head">
                <span className="request-state">
                  {t(
                    request.state === 'running'
                      ? 'developer.stage_running'
                      : 'developer.stage_queued',
                  )}
                </span>
                <strong dir="auto">{request.model}</strong>
              </span>
              <span className="request-facts">
                <code>{request.route}</code>
              </span>
            </div>
            <IconButton
              size="small"
              label={t('developer.cancel')}
              icon={<X size={15} aria-hidden="true" />}
              onClick={() => void act('cancel', () => cancelRequest(request.id))}
            />
          </li>
        ))}
      </ul>
    </>
  );
}
