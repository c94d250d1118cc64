import type { ReactNode } from 'react';
import { t } from '../i18n/i18n.js';
import type { FormKind, ServerForm } from './server-form.js';

interface ServerFieldsProps {
  kind: FormKind;
  form: ServerForm;
  set: (change: Partial<ServerForm>) => void;
}

/** What a program, or an address, is set up with. */
export function ServerFields({ kind, form, set }: ServerFieldsProps) {
  if (kind === 'address') {
    return (
      <>
        <Field label={t('tools.url')}>
          <input
            className="input"
            type="url"
            dir="ltr"
            required
            placeholder="https://mcp.example.com/mcp"
            value={form.url}
            onChange={(event) => set({ url: event.target.value })}
          />
        </Field>
        <Field label={t('tools.headers')} hint={t('tools.headers_hint')}>
          <CodeArea
            value={form.headers}
            placeholder="Authorization: Bearer …"
            onChange={(headers) => set({ headers })}
          />
        </Field>
      </>
    );
  }
  return (
    <>
      <Field label={t('tools.command')} hint={t('tools.command_hint')}>
        <input
          className="input"
          dir="ltr"
          required
          spellCheck={false}
          autoCapitalize="none"
          placeholder="npx"
          value={form.command}
          onChange={(event) => set({ command: event.target.value })}
        />
      </Field>
      <Field label={t('tools.args')} hint={t('tools.one_per_line')}>
        <CodeArea value={form.args} onChange={(args) => set({ args })} />
      </Field>
      <Field label={t('tools.env')} hint={t('tools.env_hint')}>
        <CodeArea value={form.env} onChange={(env) => set({ env })} />
      </Field>
      <Field label={t('tools.cwd')} hint={t('tools.cwd_hint')}>
        <input
          className="input"
          dir="ltr"
          spellCheck={false}
          value={form.cwd}
          onChange={(event) => set({ cwd: event.target.value })}
        />
      </Field>
    </>
  );
}

export function Field(props: { label: string; hint?: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children
    <label>
      {props.label}
      {props.children}
      {props.hint && <span className="field-hint">{props.hint}</span>}
    </label>
  );
}

interface CodeAreaProps {
  value: string;
  rows?: number;
  placeholder?: string;
  onChange: (value: string) => void;
}

/** Several lines that a program reads. */
export function CodeArea({ value, rows = 3, placeholder, onChange }: CodeAreaProps) {
  return (
    <textarea
      className="input code-input"
      dir="ltr"
      rows={rows}
      spellCheck={false}
      autoCapitalize="none"
      placeholder={placeholder}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
