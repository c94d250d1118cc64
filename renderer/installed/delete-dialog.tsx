import { AlertDialog } from '@base-ui/react/alert-dialog';
import { useEffect, useState } from 'react';
import { formatBytes } from '../../protocol/bytes.js';
import type { ModelEntry } from '../../protocol/models.js';
import { modelDetails } from '../api/models.js';

const words = {
  title: 'Delete this model?',
  text: (size: string) =>
    `Its files (${size}) are deleted from the models folder. This cannot be undone.`,
  files: 'Its files',
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
              </p>
              <Files key={model.id} model={model} />
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

/** The paths of what is deleted; its id until they are known. */
function Files({ model }: { model: ModelEntry }) {
  const [files, setFiles] = useState<readonly string[]>([]);
  useEffect(() => {
    const left = new AbortController();
    // The name says enough where they cannot be told.
    modelDetails(model.id, left.signal).then(
      (details) => setFiles([...details.files, ...(details.projector ? [details.projector] : [])]),
      () => {},
    );
    return () => left.abort();
  }, [model.id]);
  return (
    <ul className="dialog-files" aria-label={words.files}>
      {(files.length > 0 ? files : [model.id]).map((file) => (
        <li key={file} dir="auto">
          {file}
        </li>
      ))}
    </ul>
  );
}
