import { Dialog } from '@base-ui/react/dialog';
import { FolderOpen } from 'lucide-react';
import { desktop } from '../api/bridge.js';
import { t } from '../i18n/i18n.js';
import { CopyIconButton } from '../shell/copy-button.js';

interface AddModelProps {
  open: boolean;
  /** Where model files go; null when the server was given one file only. */
  folder: string | null;
  onClose: () => void;
  onFolderFailed: () => void;
}

/** How a model gets into the list. */
export function AddModel({ open, folder, onClose, onFolderFailed }: AddModelProps) {
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog">
          <Dialog.Title>{t('models.add_title')}</Dialog.Title>
          {folder === null ? (
            <Dialog.Description>
              {t('models.add_single')}{' '}
              <code className="inline-code">pilotlight serve --models DIR</code>
            </Dialog.Description>
          ) : (
            <>
              <Dialog.Description>{t('models.add_text')}</Dialog.Description>
              <ol>
                <li>{t('models.add_get')}</li>
                <li>
                  {t('models.add_put')}
                  <FolderPath folder={folder} />
                </li>
                <li>{t('models.add_then')}</li>
              </ol>
            </>
          )}
          <div className="dialog-actions">
            {folder !== null && <OpenFolder onFailed={onFolderFailed} />}
            <Dialog.Close className="button" data-kind="primary">
              {t('models.done')}
            </Dialog.Close>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** The models folder's path, to be copied. */
export function FolderPath({ folder }: { folder: string }) {
  return (
    <div className="copy-field">
      <code>{folder}</code>
      <CopyIconButton text={folder} label={t('models.copy_path')} />
    </div>
  );
}

/** Opens the models folder in the file manager; absent in a browser. */
export function OpenFolder({ onFailed }: { onFailed: () => void }) {
  if (!desktop) return null;
  const { openModelsFolder } = desktop;
  return (
    <button
      type="button"
      className="button"
      onClick={() => void openModelsFolder().catch(onFailed)}
    >
      <FolderOpen size={16} aria-hidden="true" />
      {t('models.open_folder')}
    </button>
  );
}
