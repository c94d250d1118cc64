import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import type { Attachment, QuestionCount } from '../../protocol/attachments.js';
import { t } from '../i18n/i18n.js';
import type { DraftFiles, Incoming } from './draft-files.js';
import { FileChip, IncomingChip } from './file-chip.js';
import type { TooLong } from './limit.js';
import { PreviewDialog } from './preview-dialog.js';

interface DraftFileListProps {
  files: DraftFiles;
  attached: readonly Attachment[];
  incoming: readonly Incoming[];
  /** That came in last, for those who hear it. */
  latest: Attachment | null;
  count: QuestionCount | null;
  /** Name of the model that is asked, where it cannot see pictures; else null. */
  blind: string | null;
}

/** What goes with the question that is being written. */
export function DraftFileList(props: DraftFileListProps) {
  const { files, attached, incoming, latest, count, blind } = props;
  const [shown, setShown] = useState<Attachment | null>(null);
  return (
    <>
      <div className="hidden-visually" role="status">
        {latest && t('attachments.attached', { name: latest.name })}
      </div>
      {attached.length + incoming.length > 0 && (
        <ul className="draft-files" aria-label={t('chat.attachments')}>
          {attached.map((attachment) => (
            <FileChip
              key={attachment.id}
              attachment={attachment}
              tokens={count?.attachments[attachment.id] ?? null}
              blind={blind}
              onShow={() => setShown(attachment)}
              onRemove={() => files.remove(attachment.id)}
            />
          ))}
          {incoming.map((each) => (
            <IncomingChip key={each.key} incoming={each} onDrop={() => files.drop(each.key)} />
          ))}
        </ul>
      )}
      <PreviewDialog attachment={shown} onClose={() => setShown(null)} />
    </>
  );
}

interface TooLongCardProps {
  found: TooLong;
  model: string;
  onFirstPages: (id: string, pages: number) => void;
  /** Null: the model is another server's. */
  onContext: (() => void) | null;
}

/** Why the question cannot be sent, and what would make it fit. */
export function TooLongCard({ found, model, onFirstPages, onContext }: TooLongCardProps) {
  const { tokens, context, part } = found;
  return (
    <div className="too-long" role="alert" data-testid="too-long">
      <TriangleAlert size={16} aria-hidden="true" />
      <p>{t('attachments.too_long', { model, tokens, context })}</p>
      <div className="too-long-actions">
        {part && (
          <button
            type="button"
            className="button"
            data-size="small"
            onClick={() => onFirstPages(part.attachment.id, part.pages)}
          >
            {t('attachments.use_first', { n: part.pages, name: part.attachment.name })}
          </button>
        )}
        {onContext && (
          <button type="button" className="button" data-size="small" onClick={onContext}>
            {t('attachments.bigger_context')}
          </button>
        )}
      </div>
    </div>
  );
}
