import { File, FileText, Image, TriangleAlert, X } from 'lucide-react';
import type { Attachment } from '../../protocol/attachments.js';
import { t } from '../i18n/i18n.js';
import { formatBytes } from '../shell/format.js';
import { IconButton } from '../shell/icon-button.js';
import { detailOf, warningOf } from './detail.js';
import type { Incoming } from './draft-files.js';
import { usePicture } from './use-attachment.js';

interface FileChipProps {
  attachment: Attachment;
  /** That its text takes; null: not known. */
  tokens?: number | null;
  /** Name of a model that cannot see pictures; null: the model can, or has been asked already. */
  blind?: string | null;
  onShow: () => void;
  /** Left out: it stays. */
  onRemove?: () => void;
}

/** A file that is attached; a press shows it. */
export function FileChip({ attachment, tokens, blind, onShow, onRemove }: FileChipProps) {
  const { name, kind } = attachment;
  const picture = usePicture(attachment);
  const warning = warningOf(attachment, blind ?? null);
  const Icon = kind === 'image' ? Image : FileText;
  return (
    <li className="attachment" data-testid="attachment" data-warning={warning ? '' : undefined}>
      <button
        type="button"
        className="attachment-body"
        aria-haspopup="dialog"
        title={t('attachments.show', { name })}
        onClick={onShow}
      >
        {picture === null ? (
          <Icon className="attachment-icon" size={18} aria-hidden="true" />
        ) : (
          <img className="attachment-picture" src={picture} alt="" />
        )}
        <span className="attachment-name" dir="auto">
          {name}
        </span>
        <span className="attachment-detail">
          {warning === null ? (
            detailOf(attachment, tokens ?? null)
          ) : (
            <>
              <TriangleAlert size={12} aria-hidden="true" />
              {warning}
            </>
          )}
        </span>
      </button>
      {onRemove && (
        <IconButton
          size="small"
          label={t('attachments.remove', { name })}
          icon={<X size={15} aria-hidden="true" />}
          onClick={onRemove}
        />
      )}
    </li>
  );
}

/** A file that is coming in, or could not. */
export function IncomingChip({ incoming, onDrop }: { incoming: Incoming; onDrop: () => void }) {
  const { name, bytes, share, failure } = incoming;
  const said = share < 1 ? t('attachments.uploading', { share }) : t('attachments.reading');
  return (
    <li
      className="attachment"
      data-testid="attachment-incoming"
      data-bad={failure === null ? undefined : ''}
    >
      <div className="attachment-body">
        {failure === null ? (
          <File className="attachment-icon" size={18} aria-hidden="true" />
        ) : (
          <TriangleAlert className="attachment-icon" size={18} aria-hidden="true" />
        )}
        <span className="attachment-name" dir="auto">
          {name}
        </span>
        <span
          className="attachment-detail"
          role={failure === null ? undefined : 'alert'}
          dir="auto"
        >
          {failure ?? `${formatBytes(bytes)} · ${said}`}
        </span>
        {failure === null && (
          <div
            className="bar"
            data-unknown={share < 1 ? undefined : ''}
            role="progressbar"
            aria-label={name}
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={share < 1 ? Math.round(100 * share) : undefined}
          >
            <span style={share < 1 ? { width: `${100 * share}%` } : undefined} />
          </div>
        )}
      </div>
      <IconButton
        size="small"
        label={t('attachments.remove', { name })}
        icon={<X size={15} aria-hidden="true" />}
        onClick={onDrop}
      />
    </li>
  );
}
