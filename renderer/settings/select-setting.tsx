import { ChevronDown } from 'lucide-react';
import { SettingRow } from './setting.js';

interface SelectSettingProps<T extends string> {
  label: string;
  hint?: string;
  value: T;
  /** `lang`: of the label, where it is not the window's. */
  options: readonly { value: T; label: string; lang?: string }[];
  onChange: (value: T) => void;
}

/** One of a few values, in the system's own list. */
export function SelectSetting<T extends string>(props: SelectSettingProps<T>) {
  const { label, hint, value, options, onChange } = props;
  return (
    <SettingRow label={label} hint={hint}>
      {({ id, describedBy }) => (
        <span className="select">
          <select
            id={id}
            aria-describedby={describedBy}
            value={value}
            onChange={(event) => {
              const chosen = options.find((option) => option.value === event.target.value);
              if (chosen) onChange(chosen.value);
            }}
          >
            {options.map((option) => (
              <option key={option.value} value={option.value} lang={option.lang}>
                {option.label}
              </option>
            ))}
          </select>
          <ChevronDown size={15} aria-hidden="true" />
        </span>
      )}
    </SettingRow>
  );
}
