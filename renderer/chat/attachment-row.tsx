import { useState } from 'react';
import type { Attachment } from '../../protocol/attachments.js';
import { FileChip } from '../attachments/file-chip.js';
import { PreviewDialog } from '../attachments/preview-dialog.js';
import { t } from '../i18n/i18n.js';

/** Files that went with a question. */
export function AttachmentRow({ attachments }: { attachments: readonly Attachment[] }) {
  const [shown, setShown] = useState<Attachment | null>(null);
  if (attachments.length === 0) return null;
  return (
    <>
      <ul className="attachments" aria-label={t('chat.attachments')}>
        {attachments.map((attachment) => (
          <FileChip
            key={attachment.id}
            attachment={attachment}
            onShow={() => setShown(attachment)}
          />
        ))}
      </ul>
      <PreviewDialog attachment={shown} onClose={() => setShown(null)} />
    </>
  );
}
