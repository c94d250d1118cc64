import { useId } from 'react';
import { t } from '../../i18n/i18n.js';
import { useChange } from '../../settings/use-change.js';
import { CopyIconButton } from '../../shell/copy-button.js';
import type { ServerProps } from './server-tab.js';

function textOf(serving: boolean, needsKey: boolean) {
  if (!serving) return 'developer.off_text';
  return needsKey ? 'developer.on_text_keys' : 'developer.on_text';
}

/** Whether programs may use the API, and where it is. */
export function ServerCard({ info, serving, change }: ServerProps & { serving: boolean }) {
  const id = useId();
  const apply = useChange(change);
  const api = `${info.urls.at(-1) ?? ''}/v1`;
  return (
    <section className="server-card" data-on={serving} aria-labelledby={id}>
      <span className="server-light" aria-hidden="true" />
      <div className="server-state">
        <h2 id={id}>{serving ? t('developer.on') : t('developer.off')}</h2>
        <p>{t(textOf(serving, info.keys_needed))}</p>
      </div>
      <input
        className="switch"
        type="checkbox"
        role="switch"
        aria-label={t('developer.serve_programs')}
        aria-checked={serving}
        checked={serving}
        data-testid="serving"
        onChange={(event) => apply({ api_enabled: event.target.checked })}
      />
      <div className="copy-field">
        <code data-testid="api-address">{api}</code>
        <CopyIconButton text={api} label={t('developer.copy_address')} />
      </div>
    </section>
  );
}
