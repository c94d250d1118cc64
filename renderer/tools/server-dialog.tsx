import { Dialog } from '@base-ui/react/dialog';
import { Tabs } from '@base-ui/react/tabs';
import { type FormEvent, useState } from 'react';
import { MCP_NAME_MAX, type McpServer, type McpServerConfig } from '../../protocol/mcp.js';
import { t } from '../i18n/i18n.js';
import { PasteForm } from './paste-form.js';
import { Field, ServerFields } from './server-fields.js';
import { configOf, EMPTY_FORM, type FormKind, formOf, type ServerForm } from './server-form.js';

/** Gives null, or why it did not work. */
type Save = (configs: Record<string, McpServerConfig>) => Promise<string | null>;

interface ServerDialogProps {
  /** The one that is changed; null: the dialog is closed. */
  edited: McpServer | 'new' | null;
  onClose: () => void;
  onSave: Save;
}

/** Asks for tool servers: pasted from elsewhere, or typed. */
export function ServerDialog({ edited, onClose, onSave }: ServerDialogProps) {
  return (
    <Dialog.Root open={edited !== null} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog" data-testid="tool-server-dialog">
          {edited === 'new' && <NewServers onSave={onSave} />}
          {edited !== null && edited !== 'new' && <Change server={edited} onSave={onSave} />}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

const KINDS = ['paste', 'program', 'address'] as const;

function NewServers({ onSave }: { onSave: Save }) {
  const [failure, setFailure] = useState<string | null>(null);
  const save = async (configs: Record<string, McpServerConfig>) => {
    setFailure(await onSave(configs));
  };
  return (
    <>
      <Dialog.Title>{t('tools.add_title')}</Dialog.Title>
      <Dialog.Description>{t('tools.add_text')}</Dialog.Description>
      <Tabs.Root defaultValue="paste" onValueChange={() => setFailure(null)}>
        <Tabs.List className="tabs" aria-label={t('tools.kind')}>
          {KINDS.map((kind) => (
            <Tabs.Tab key={kind} className="tab" value={kind}>
              {t(`tools.kind_${kind}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="paste" tabIndex={-1}>
          <PasteForm
            failure={failure}
            onSave={(configs) => void save(configs)}
            cancel={<Dialog.Close className="button">{t('common.cancel')}</Dialog.Close>}
          />
        </Tabs.Panel>
        {(['program', 'address'] as const).map((kind) => (
          <Tabs.Panel key={kind} value={kind} tabIndex={-1}>
            <TypedForm kind={kind} initial={EMPTY_FORM} failure={failure} onSave={save} />
          </Tabs.Panel>
        ))}
      </Tabs.Root>
    </>
  );
}

function Change({ server: { id, config }, onSave }: { server: McpServer; onSave: Save }) {
  const [failure, setFailure] = useState<string | null>(null);
  return (
    <>
      <Dialog.Title>{t('tools.edit_title', { name: id })}</Dialog.Title>
      <Dialog.Description>{t('tools.edit_text')}</Dialog.Description>
      <TypedForm
        kind={'command' in config ? 'program' : 'address'}
        initial={formOf(id, config)}
        failure={failure}
        onSave={async (configs) => setFailure(await onSave(configs))}
      />
    </>
  );
}

interface TypedFormProps {
  kind: FormKind;
  initial: ServerForm;
  failure: string | null;
  onSave: (configs: Record<string, McpServerConfig>) => Promise<void>;
}

/** Its name can be chosen once: it is what all else is kept under. */
function TypedForm({ kind, initial, failure, onSave }: TypedFormProps) {
  const [form, setForm] = useState(initial);
  const set = (change: Partial<ServerForm>) => setForm((before) => ({ ...before, ...change }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void onSave({ [form.name.trim()]: configOf(kind, form) });
  };
  return (
    <form className="dialog-form" onSubmit={submit}>
      {initial.name === '' && (
        <Field label={t('tools.name')}>
          <input
            className="input"
            dir="auto"
            required
            maxLength={MCP_NAME_MAX}
            pattern=".*\S.*"
            value={form.name}
            onChange={(event) => set({ name: event.target.value })}
          />
        </Field>
      )}
      <ServerFields kind={kind} form={form} set={set} />
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
