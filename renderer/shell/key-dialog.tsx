import { Dialog } from '@base-ui/react/dialog';
import { type FormEvent, useState } from 'react';

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
          <Dialog.Title>This server opens with a key</Dialog.Title>
          <Dialog.Description>
            Enter one that it was started with (<code className="inline-code">--api-key</code>) or
            that was made with <code className="inline-code">pilotlight keys add</code>. It stays in
            this tab until you close it.
          </Dialog.Description>
          <form onSubmit={submit}>
            <input
              className="field"
              type="password"
              autoComplete="off"
              aria-label="Key"
              aria-invalid={refused}
              aria-describedby={refused ? 'key-refused' : undefined}
              value={key}
              onChange={(event) => setKey(event.target.value)}
            />
            {refused && (
              <p className="field-error" id="key-refused" role="alert">
                The server did not take that key.
              </p>
            )}
            <div className="dialog-actions">
              <Dialog.Close className="button">Cancel</Dialog.Close>
              <button type="submit" className="button" data-kind="primary" disabled={!key.trim()}>
                Connect
              </button>
            </div>
          </form>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
