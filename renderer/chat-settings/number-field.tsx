import { useId } from 'react';
import { currentLanguage, t } from '../i18n/i18n.js';
import { useEdited } from './use-edited.js';

export interface NumberRange {
  whole: boolean;
  min: number;
  max: number;
}

interface NumberFieldProps {
  label: string;
  hint: string;
  range: NumberRange;
  /** Null: left to the model. */
  value: number | null;
  onChange: (value: number | null) => void;
}

/** A number, or nothing for an automatic one. */
export function NumberField({ label, hint, range, value, onChange }: NumberFieldProps) {
  const id = useId();
  const edited = useEdited(value === null ? '' : String(value), (text) => {
    const read = numberIn(text, range);
    if (read !== undefined && read !== value) onChange(read);
  });
  const isWrong = numberIn(edited.text, range) === undefined;
  const number = new Intl.NumberFormat(currentLanguage());
  const bounds = { min: number.format(range.min), max: number.format(range.max) };
  const wrong = range.whole ? 'chat_settings.wrong_whole' : 'chat_settings.wrong_number';
  return (
    <div className="number-setting">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="input"
        inputMode={range.whole ? 'numeric' : 'decimal'}
        autoComplete="off"
        placeholder={t('chat_settings.automatic')}
        value={edited.text}
        aria-invalid={isWrong}
        aria-describedby={`${id}-note`}
        onChange={(event) => edited.onChange(event.target.value)}
        onBlur={edited.onBlur}
      />
      <p
        id={`${id}-note`}
        className={isWrong ? 'setting-failure' : 'field-hint'}
        role={isWrong ? 'alert' : undefined}
      >
        {isWrong ? t(wrong, bounds) : hint}
      </p>
    </div>
  );
}

/** Null: nothing is typed; undefined: it is no such number. A comma is as good as a point. */
export function numberIn(
  text: string,
  { whole, min, max }: NumberRange,
): number | null | undefined {
  const typed = text.trim().replace(',', '.');
  if (typed === '') return null;
  const value = Number(typed);
  const isGood = whole ? Number.isInteger(value) : Number.isFinite(value);
  return isGood && value >= min && value <= max ? value : undefined;
}
