import { ExternalLink } from 'lucide-react';
import { t } from '../i18n/i18n.js';
import { openLink } from '../shell/open-link.js';
import { SettingRow } from './setting.js';

/** Something to read, in a window of its own. */
export function LinkRow({ label, hint, url }: { label: string; hint: string; url: string }) {
  return (
    <SettingRow label={label} hint={hint}>
      {({ id, describedBy }) => (
        <a
          id={id}
          className="button"
          data-size="small"
          href={url}
          target="_blank"
          rel="noreferrer"
          aria-describedby={describedBy}
          onClick={(event) => openLink(event, url)}
        >
          {t('settings.server_open')}
          <ExternalLink size={14} aria-hidden="true" />
        </a>
      )}
    </SettingRow>
  );
}
