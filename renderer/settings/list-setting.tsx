import { X } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from '../shell/icon-button.js';
import { TextSetting } from './text-setting.js';

interface ListSettingProps {
  /** What is added, such as "Add a folder". */
  label: string;
  hint?: string;
  placeholder: string;
  /** Of the button. */
  add: string;
  values: readonly string[];
  /** Name of the button that removes one. */
  removeLabel: (value: string) => string;
  /** Gives null, or why it did not work. */
  onSave: (values: string[]) => Promise<string | null>;
}

/** Several texts of one kind. */
export function ListSetting(props: ListSettingProps) {
  const { label, hint, placeholder, add, values, removeLabel, onSave } = props;
  const [failure, setFailure] = useState<string | null>(null);
  return (
    <div className="list-setting">
      {values.length > 0 && (
        <ul className="list-values">
          {values.map((value) => (
            <li key={value}>
              <code dir="auto">{value}</code>
              <IconButton
                size="small"
                label={removeLabel(value)}
                icon={<X size={15} aria-hidden="true" />}
                onClick={async () =>
                  setFailure(await onSave(values.filter((other) => other !== value)))
                }
              />
            </li>
          ))}
        </ul>
      )}
      {failure !== null && (
        <p className="setting-failure" role="alert" dir="auto">
          {failure}
        </p>
      )}
      <TextSetting
        label={label}
        {...(hint ? { hint } : {})}
        value=""
        placeholder={placeholder}
        action={add}
        onSave={async (value) =>
          value === '' || values.includes(value) ? null : onSave([...values, value])
        }
      />
    </div>
  );
}
