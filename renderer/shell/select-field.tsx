import { useId } from 'react';
import { Select } from './select.js';

interface SelectFieldProps<T extends string> {
  label: string;
  value: T;
  options: readonly { value: T; label: string }[];
  onChange: (value: T) => void;
}

/** One of a few values, in the system's own list. */
export function SelectField<T extends string>(props: SelectFieldProps<T>) {
  const { label, value, options, onChange } = props;
  const id = useId();
  return (
    <div className="select-field">
      <label htmlFor={id}>{label}</label>
      <Select
        id={id}
        value={value}
        onChange={(event) => {
          const chosen = options.find((option) => option.value === event.target.value);
          if (chosen) onChange(chosen.value);
        }}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </Select>
    </div>
  );
}
