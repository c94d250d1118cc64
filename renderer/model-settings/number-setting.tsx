import { useId } from 'react';
import { t } from '../i18n/i18n.js';
import { formatCount, formatNumber } from '../shell/format.js';
import type { NumberField } from './settings-form.js';

/** From here on a limit is none that anybody meets. */
const FAR = 100_000;

interface NumberSettingProps {
  field: NumberField<string>;
  label: string;
  placeholder: string;
  hint: string | null;
  value: string;
  /** It is no number, or out of its range. */
  isWrong: boolean;
  onChange: (value: string) => void;
}

/** A number, or nothing for an automatic one. */
export function NumberSetting(props: NumberSettingProps) {
  const { field, label, placeholder, hint, value, isWrong, onChange } = props;
  const id = useId();
  const note = isWrong ? rangeWords(field) : hint;
  return (
    <div className="number-setting">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="input"
        inputMode={field.whole ? 'numeric' : 'decimal'}
        autoComplete="off"
        placeholder={placeholder}
        value={value}
        aria-invalid={isWrong}
        aria-describedby={note === null ? undefined : `${id}-note`}
        onChange={(event) => onChange(event.target.value)}
      />
      {note !== null && (
        <p
          id={`${id}-note`}
          className={isWrong ? 'setting-failure' : 'field-hint'}
          role={isWrong ? 'alert' : undefined}
        >
          {note}
        </p>
      )}
    </div>
  );
}

function rangeWords({ whole, min, max }: NumberField<string>): string {
  if (!whole)
    return t('model-settings.between', { min: formatNumber(min), max: formatNumber(max) });
  if (max >= FAR) return t('model-settings.whole', { min: formatCount(min) });
  return t('model-settings.whole_between', { min: formatCount(min), max: formatCount(max) });
}
