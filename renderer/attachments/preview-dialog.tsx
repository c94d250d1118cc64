import { Dialog } from '@base-ui/react/dialog';
import { useState } from 'react';
import type { Attachment } from '../../protocol/attachments.js';
import { attachmentsApi } from '../api/attachments.js';
import { t } from '../i18n/i18n.js';
import { useAct } from '../shell/act.js';
import { detailOf } from './detail.js';
import { usePicture, useText } from './use-attachment.js';

/** Characters that are shown: more of it would make the window slow, and nobody reads it here. */
const SHOWN_MAX = 200_000;

interface PreviewDialogProps {
  /** Null: nothing is shown. */
  attachment: Attachment | null;
  onClose: () => void;
}

/** What was attached: the picture, or the text that goes to the model. */
export function PreviewDialog({ attachment, onClose }: PreviewDialogProps) {
  // What is shown while it closes.
  const [shown, setShown] = useState(attachment);
  if (attachment !== null && attachment !== shown) setShown(attachment);
  return (
    <Dialog.Root open={attachment !== null} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog preview" data-testid="attachment-preview">
          {shown && <Preview key={shown.id} attachment={shown} onClose={onClose} />}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Preview({ attachment, onClose }: { attachment: Attachment; onClose: () => void }) {
  const act = useAct();
  const save = () => act('attachments', () => saveFile(attachment));
  return (
    <>
      <Dialog.Title dir="auto">{attachment.name}</Dialog.Title>
      <Dialog.Description>{detailOf(attachment)}</Dialog.Description>
      {attachment.kind === 'image' ? (
        <Picture attachment={attachment} />
      ) : (
        <Text attachment={attachment} />
      )}
      <div className="dialog-actions">
        <button type="button" className="button" onClick={() => void save()}>
          {t('attachments.download')}
        </button>
        <button type="button" className="button" data-kind="primary" onClick={onClose}>
          {t('common.close')}
        </button>
      </div>
    </>
  );
}

function Picture({ attachment }: { attachment: Attachment }) {
  const address = usePicture(attachment);
  const { width, height, name } = attachment;
  return (
    <div className="preview-picture">
      {address && (
        <img src={address} alt={name} width={width ?? undefined} height={height ?? undefined} />
      )}
    </div>
  );
}

function Text({ attachment }: { attachment: Attachment }) {
  const text = useText(attachment);
  if (text.state === 'loading') return <p role="status">{t('attachments.reading')}</p>;
  if (text.state === 'failed') {
    return (
      <p className="field-error" role="alert" dir="auto">
        {text.why}
      </p>
    );
  }
  return (
    <>
      {text.text.length > SHOWN_MAX && <p>{t('attachments.beginning')}</p>}
      <section
        className="preview-text"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no pointer scrolls it
        tabIndex={0}
        aria-label={attachment.name}
        dir="auto"
      >
        {text.text.slice(0, SHOWN_MAX).split('\f').join('\n\n')}
      </section>
    </>
  );
}

async function saveFile({ id, name }: Attachment): Promise<void> {
  const address = URL.createObjectURL(await attachmentsApi.file(id));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken it over by the time it comes back from the click.
  setTimeout(() => URL.revokeObjectURL(address));
}
