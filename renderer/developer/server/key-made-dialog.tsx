import { Dialog } from '@base-ui/react/dialog';
import type { MadeApiKey } from '../../../protocol/serving.js';
import { t } from '../../i18n/i18n.js';
import { CopyIconButton } from '../../shell/copy-button.js';

/** A new key, this once. */
export function KeyMadeDialog({
  made,
  onClose,
}: {
  /** Null: the dialog is closed. */
  made: MadeApiKey | null;
  onClose: () => void;
}) {
  return (
    <Dialog.Root open={made !== null} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog">
          <Dialog.Title>{t('developer.key_made')}</Dialog.Title>
          <Dialog.Description>{t('developer.key_made_text')}</Dialog.Description>
          {made && (
            <>
              <p className="dialog-subject" dir="auto">
                {made.name}
              </p>
              <div className="copy-field">
                <code data-testid="made-key">{made.key}</code>
                <CopyIconButton text={made.key} label={t('developer.key_copy')} />
              </div>
            </>
          )}
          <div className="dialog-actions">
            <Dialog.Close className="button" data-kind="primary">
              {t('developer.key_done')}
            </Dialog.Close>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
