import { CircleAlert, Info, X } from 'lucide-react';
import { t } from '../i18n/i18n.js';
import { IconButton } from './icon-button.js';

export interface Notice {
  id: string;
  text: string;
  tone: 'info' | 'bad';
  action?: { label: string; run: () => void };
}

/** Sentences the person should see, each until it is dismissed. */
export function Notices(props: { notices: Notice[]; onDismiss: (id: string) => void }) {
  return (
    <section className="notices" aria-label={t('notices.notices')} aria-live="polite">
      {props.notices.map((notice) => (
        <div key={notice.id} className="notice" data-tone={notice.tone} data-testid="notice">
          {notice.tone === 'bad' ? (
            <CircleAlert size={18} aria-hidden="true" />
          ) : (
            <Info size={18} aria-hidden="true" />
          )}
          <p dir="auto">{notice.text}</p>
          {notice.action && (
            <button type="button" className="link-button" onClick={notice.action.run}>
              {notice.action.label}
            </button>
          )}
          <IconButton
            size="small"
            label={t('notices.dismiss')}
            icon={<X size={16} aria-hidden="true" />}
            onClick={() => props.onDismiss(notice.id)}
          />
        </div>
      ))}
    </section>
  );
}
