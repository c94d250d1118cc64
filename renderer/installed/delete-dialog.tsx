import { AlertDialog } from '@base-ui/react/alert-dialog';
import { useEffect, useState } from 'react';
import type { ModelEntry } from '../../protocol/models.js';
import { modelDetails } from '../api/models.js';
import { t } from '../i18n/i18n.js';
import { formatBytes } from '../shell/format.js';

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
          <AlertDialog.Title>{t('installed.delete_title')}</AlertDialog.Title>
          {model && (
            <>
              <p className="dialog-subject" dir="auto">
                {model.name}
              </p>
              <Files key={model.id} model={model} />
              <AlertDialog.Description>
                {t('installed.delete_text', { size: formatBytes(model.size_bytes) })}
              </AlertDialog.Description>
            </>
          )}
          <div className="dialog-actions">
            <AlertDialog.Close className="button">{t('installed.delete_keep')}</AlertDialog.Close>
            <button
              type="button"
              className="button"
              data-kind="danger"
              data-testid="confirm-delete"
              onClick={() => model && onDelete(model)}
            >
              {t('common.delete')}
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
    <ul className="dialog-files" aria-label={t('installed.delete_files')}>
      {(files.length > 0 ? files : [model.id]).map((file) => (
        <li key={file} dir="auto">
          {file}
        </li>
      ))}
    </ul>
  );
}
