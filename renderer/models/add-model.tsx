import { Dialog } from '@base-ui/react/dialog';
import { FolderOpen } from 'lucide-react';
import { desktop } from '../api/bridge.js';
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
          <Dialog.Title>Add a model</Dialog.Title>
          {folder === null ? (
            <Dialog.Description>
              This server runs a single model file. Start it with a models folder to have more:{' '}
              <code className="inline-code">pilotlight serve --models DIR</code>
            </Dialog.Description>
          ) : (
            <>
              <Dialog.Description>
                Pilotlight runs models in the GGUF format, the one llama.cpp uses.
              </Dialog.Description>
              <ol>
                <li>
                  Get a model as a <code className="inline-code">.gguf</code> file. Its size tells
                  how much memory it needs, at least.
                </li>
                <li>
                  Put the file into the models folder:
                  <FolderPath folder={folder} />
                </li>
                <li>It appears in the list by itself. Pick it, and it loads.</li>
              </ol>
            </>
          )}
          <div className="dialog-actions">
            {folder !== null && <OpenFolder onFailed={onFolderFailed} />}
            <Dialog.Close className="button" data-kind="primary">
              Done
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
      <CopyIconButton text={folder} label="Copy path" />
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
      Open folder
    </button>
  );
}
