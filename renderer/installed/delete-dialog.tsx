import { AlertDialog } from '@base-ui/react/alert-dialog';
import type { ModelEntry } from '../../protocol/models.js';
import { formatBytes } from '../shell/format.js';

const words = {
  title: 'Delete this model?',
  text: (size: string) =>
    `Its files (${size}) are deleted from the models folder. Answers under way end first. This cannot be undone.`,
  keep: 'Keep it',
  remove: 'Delete',
};

interface DeleteDialogProps {
  /** The model to delete; null: nothing is asked. */
  model: ModelEntry | null;
  onClose: () => void;
  onDelete: (model: ModelEntry) => void;
}

/** Asks before files are deleted. */
export function DeleteDialog({ model, onClose, onDelete }: DeleteDialogProps) {
  return (
    <AlertDialog.Root open={model !== null} onOpenChange={(open) => !open && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="backdrop" />
        <AlertDialog.Popup className="dialog">
          <AlertDialog.Title>{words.title}</AlertDialog.Title>
          {model && (
            <>
              <p className="dialog-subject" dir="auto">
                {model.name}
                <code>{model.id}</code>
              </p>
              <AlertDialog.Description>
                {words.text(formatBytes(model.size_bytes))}
              </AlertDialog.Description>
            </>
          )}
          <div className="dialog-actions">
            <AlertDialog.Close className="button">{words.keep}</AlertDialog.Close>
            <button
              type="button"
              className="button"
              data-kind="danger"
              data-testid="confirm-delete"
              onClick={() => model && onDelete(model)}
            >
              {words.remove}
            </button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
