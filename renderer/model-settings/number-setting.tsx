import { useId } from 'react';
import { formatCount } from '../shell/format.js';
import type { NumberField } from './settings-form.js';

const words = {
  whole: (min: string) => `A whole number, ${min} or more.`,
  wholeBetween: (min: string, max: string) => `A whole number from ${min} to ${max}.`,
  between: (min: string, max: string) => `A number from ${min} to ${max}.`,
};

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
  if (!whole) return words.between(String(min), String(max));
  if (max >= FAR) return words.whole(formatCount(min));
  return words.wholeBetween(formatCount(min), formatCount(max));
}
