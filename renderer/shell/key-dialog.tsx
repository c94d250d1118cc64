import { Dialog } from '@base-ui/react/dialog';
import { type FormEvent, useState } from 'react';
import { t } from '../i18n/i18n.js';

interface KeyDialogProps {
  open: boolean;
  /** The key entered before was refused. */
  refused: boolean;
  onClose: () => void;
  onKey: (key: string) => void;
}

/** Asks for the key of a server that has keys. */
export function KeyDialog({ open, refused, onClose, onKey }: KeyDialogProps) {
  const [key, setKey] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (key.trim() === '') return;
    onKey(key.trim());
    setKey('');
  };
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog">
          <Dialog.Title>{t('notices.key_title')}</Dialog.Title>
          <Dialog.Description>{t('notices.key_text')}</Dialog.Description>
          <form onSubmit={submit}>
            <input
              className="field"
              type="password"
              autoComplete="off"
              aria-label={t('notices.key')}
              aria-invalid={refused}
              aria-describedby={refused ? 'key-refused' : undefined}
              value={key}
              onChange={(event) => setKey(event.target.value)}
            />
            {refused && (
              <p className="field-error" id="key-refused" role="alert">
                {t('notices.key_refused')}
              </p>
            )}
            <div className="dialog-actions">
              <Dialog.Close className="button">{t('common.cancel')}</Dialog.Close>
              <button type="submit" className="button" data-kind="primary" disabled={!key.trim()}>
                {t('notices.connect')}
              </button>
            </div>
          </form>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
