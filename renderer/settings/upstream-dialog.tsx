import { Dialog } from '@base-ui/react/dialog';
import { type FormEvent, useState } from 'react';
import type { PutUpstream, Upstream } from '../../protocol/upstreams.js';
import { t } from '../i18n/i18n.js';
import { putOf, type UpstreamForm, upstreamForm } from './upstream-form.js';

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
          <Dialog.Title>
            {edited === 'new'
              ? t('settings.upstream_add_title')
              : t('settings.upstream_change_title')}
          </Dialog.Title>
          <Dialog.Description>{t('settings.upstream_dialog_text')}</Dialog.Description>
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
        {t('settings.upstream_name')}
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
        {t('settings.upstream_url')}
        <input
          className="input"
          type="url"
          required
          placeholder="http://192.168.1.20:8000/v1"
          value={form.url}
          onChange={(event) => set({ url: event.target.value })}
        />
      </label>
      <label>
        {t('settings.upstream_key')}
        <input
          className="input"
          type="password"
          autoComplete="off"
          value={form.key}
          onChange={(event) => set({ key: event.target.value })}
        />
        <span className="field-hint">
          {hasKey ? t('settings.upstream_key_kept') : t('settings.upstream_key_hint')}
        </span>
      </label>
      <label>
        {t('settings.upstream_models')}
        <textarea
          className="input"
          rows={3}
          value={form.models}
          onChange={(event) => set({ models: event.target.value })}
        />
        <span className="field-hint">{t('settings.upstream_models_hint')}</span>
      </label>
      {failure !== null && (
        <p className="field-error" role="alert" dir="auto">
          {failure}
        </p>
      )}
      <div className="dialog-actions">
        <Dialog.Close className="button">{t('common.cancel')}</Dialog.Close>
        <button type="submit" className="button" data-kind="primary">
          {t('common.save')}
        </button>
      </div>
    </form>
  );
}
