import { type FormEvent, type ReactNode, useEffect, useId, useState } from 'react';
import { t } from '../i18n/i18n.js';

interface TextSettingProps {
  label: string;
  hint?: ReactNode;
  /** As it is set now. */
  value: string;
  placeholder?: string;
  type?: 'text' | 'password' | 'url' | 'number';
  /** What stands behind the value, such as "GB". */
  unit?: string;
  /** Of the button, where it is not "Save". */
  action?: string;
  /** Gives null, or why it did not work. */
  onSave: (value: string) => Promise<string | null>;
  children?: ReactNode;
}

/** A text that is set with Enter or its button; what is wrong with it stands below. */
export function TextSetting(props: TextSettingProps) {
  const { label, hint, value, placeholder, type = 'text', unit, onSave } = props;
  const id = useId();
  const [draft, setDraft] = useState(value);
  const [failure, setFailure] = useState<string | null>(null);
  const [saving, setSaving] = useState(false);
  useEffect(() => {
    setDraft(value);
    setFailure(null);
  }, [value]);
  const changed = draft !== value;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!changed || saving) return;
    setSaving(true);
    const refused = await onSave(draft.trim());
    setSaving(false);
    setFailure(refused);
    if (refused === null) setDraft(value);
  };
  return (
    <form className="text-setting" onSubmit={submit}>
      <label htmlFor={id}>{label}</label>
      <div className="text-setting-line">
        <span className="input-box">
          <input
            id={id}
            className="input"
            type={type}
            dir={type === 'text' ? 'auto' : undefined}
            inputMode={type === 'number' ? 'decimal' : undefined}
            step={type === 'number' ? 'any' : undefined}
            min={type === 'number' ? 0 : undefined}
            autoComplete="off"
            spellCheck={false}
            placeholder={placeholder}
            value={draft}
            aria-invalid={failure !== null}
            aria-describedby={failure === null ? `${id}-hint` : `${id}-failure`}
            onChange={(event) => setDraft(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Escape' || !changed) return;
              event.preventDefault();
              setDraft(value);
              setFailure(null);
            }}
          />
          {unit && <span className="unit">{unit}</span>}
        </span>
        {changed && (
          <button type="submit" className="button" aria-disabled={saving}>
            {saving ? t('settings.saving') : (props.action ?? t('common.save'))}
          </button>
        )}
        {!changed && props.children}
      </div>
      {failure !== null && (
        <p className="setting-failure" id={`${id}-failure`} role="alert" dir="auto">
          {failure}
        </p>
      )}
      {hint && (
        <p className="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </form>
  );
}
