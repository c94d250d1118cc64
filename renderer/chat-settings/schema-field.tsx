import { useId } from 'react';
import { t } from '../i18n/i18n.js';
import { EXAMPLE_SCHEMA, type SchemaProblem, schemaProblem } from './schema-text.js';
import { useEdited } from './use-edited.js';

interface SchemaFieldProps {
  /** Null: answers are text. */
  value: string | null;
  onChange: (value: string | null) => void;
}

/** The schema that answers must fit, checked as it is typed. */
export function SchemaField({ value, onChange }: SchemaFieldProps) {
  const id = useId();
  const edited = useEdited(value ?? '', (text) => {
    if (schemaProblem(text) !== null) return;
    const next = text.trim() === '' ? null : text;
    if (next !== value) onChange(next);
  });
  const problem = schemaProblem(edited.text);
  return (
    <div className="text-field">
      <label htmlFor={id}>{t('chat_settings.schema')}</label>
      <textarea
        id={id}
        className="input code-input"
        rows={edited.text === '' ? 2 : 10}
        spellCheck={false}
        dir="ltr"
        value={edited.text}
        aria-invalid={problem !== null}
        aria-describedby={`${id}-note`}
        onChange={(event) => edited.onChange(event.target.value)}
        onBlur={() => problem === null && edited.onBlur()}
      />
      <p
        id={`${id}-note`}
        className={problem ? 'setting-failure' : 'field-hint'}
        role={problem ? 'alert' : undefined}
      >
        {problem ? problemText(problem) : t('chat_settings.schema_hint')}
      </p>
      {edited.text === '' && (
        <button
          type="button"
          className="button"
          data-size="small"
          onClick={() => onChange(EXAMPLE_SCHEMA)}
        >
          {t('chat_settings.schema_example')}
        </button>
      )}
    </div>
  );
}

function problemText(problem: SchemaProblem): string {
  return problem.kind === 'object'
    ? t('chat_settings.schema_object')
    : t('chat_settings.schema_wrong', { line: problem.line });
}
