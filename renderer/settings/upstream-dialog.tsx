import { Dialog } from '@base-ui/react/dialog';
import { type FormEvent, useState } from 'react';
import type { PutUpstream, Upstream } from '../../protocol/upstreams.js';
import { putOf, type UpstreamForm, upstreamForm } from './upstream-form.js';

const words = {
  add: 'Add a server',
  change: 'Change this server',
  text: 'Any server that speaks the API of OpenAI.',
  name: 'Name',
  url: 'Address',
  urlPlaceholder: 'http://192.168.1.20:8000/v1',
  key: 'Key',
  keyHint: 'Kept in the keychain, and sent to this server only. Empty: none.',
  keyKept: 'Empty: the key stays as it is.',
  models: 'Models',
  modelsHint: 'Ids that are taken over, one a line. Empty: all.',
  cancel: 'Cancel',
  save: 'Save',
};

interface UpstreamDialogProps {
  /** The one that is changed; null: the dialog is closed. */
  edited: Upstream | 'new' | null;
  onClose: () => void;
  /** Gives null, or why it did not work. */
  onSave: (upstream: PutUpstream) => Promise<string | null>;
}

/** Asks for another server. */
export function UpstreamDialog({ edited, onClose, onSave }: UpstreamDialogProps) {
  return (
    <Dialog.Root open={edited !== null} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog">
          <Dialog.Title>{edited === 'new' ? words.add : words.change}</Dialog.Title>
          <Dialog.Description>{words.text}</Dialog.Description>
          {edited !== null && <Form edited={edited} onSave={onSave} />}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Form({
  edited,
  onSave,
}: { edited: Upstream | 'new' } & Pick<UpstreamDialogProps, 'onSave'>) {
  const [form, setForm] = useState(() => upstreamForm(edited));
  const [failure, setFailure] = useState<string | null>(null);
  const set = (change: Partial<UpstreamForm>) => setForm((before) => ({ ...before, ...change }));
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setFailure(await onSave(putOf(form, edited === 'new' || edited.enabled)));
  };
  const hasKey = edited !== 'new' && edited.has_key;
  return (
    <form className="dialog-form" onSubmit={submit}>
      <label>
        {words.name}
        <input
          className="input"
          dir="auto"
          required
          maxLength={100}
          value={form.name}
          onChange={(event) => set({ name: event.target.value })}
        />
      </label>
      <label>
        {words.url}
        <input
          className="input"
          type="url"
          required
          placeholder={words.urlPlaceholder}
          value={form.url}
          onChange={(event) => set({ url: event.target.value })}
        />
      </label>
      <label>
        {words.key}
        <input
          className="input"
          type="password"
          autoComplete="off"
          value={form.key}
          onChange={(event) => set({ key: event.target.value })}
        />
        <span className="field-hint">{hasKey ? words.keyKept : words.keyHint}</span>
      </label>
      <label>
        {words.models}
        <textarea
          className="input"
          rows={3}
          value={form.models}
          onChange={(event) => set({ models: event.target.value })}
        />
        <span className="field-hint">{words.modelsHint}</span>
      </label>
      {failure !== null && (
        <p className="field-error" role="alert" dir="auto">
          {failure}
        </p>
      )}
      <div className="dialog-actions">
        <Dialog.Close className="button">{words.cancel}</Dialog.Close>
        <button type="submit" className="button" data-kind="primary">
          {words.save}
        </button>
      </div>
    </form>
  );
}
