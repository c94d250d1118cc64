import { AlertDialog } from '@base-ui/react/alert-dialog';
import { t } from '../i18n/i18n.js';

interface RemoveDialogProps {
  /** Null: the dialog is closed. */
  name: string | null;
  onClose: () => void;
  onRemove: (name: string) => void;
}

/** Asks before what cannot be had back is gone. */
export function RemoveDialog({ name, onClose, onRemove }: RemoveDialogProps) {
  return (
    <AlertDialog.Root open={name !== null} onOpenChange={(open) => !open && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup className="dialog">
          <AlertDialog.Title>{t('tools.remove_title', { name: name ?? '' })}</AlertDialog.Title>
          <AlertDialog.Description>{t('tools.remove_text')}</AlertDialog.Description>
          <div className="dialog-actions">
            <AlertDialog.Close className="button">{t('common.cancel')}</AlertDialog.Close>
            <button
              type="button"
              className="button"
              data-kind="danger"
              onClick={() => name !== null && onRemove(name)}
            >
              {t('tools.remove')}
            </button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
