import { type ReactNode, useId } from 'react';

/** A group of settings under a heading. */
export function SettingsSection(props: { title: string; text?: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className="settings-section" aria-labelledby={id}>
      <div className="settings-about">
        <h3 id={id}>{props.title}</h3>
        {props.text && <p>{props.text}</p>}
      </div>
      <div className="settings-body">{props.children}</div>
    </section>
  );
}

interface SwitchSettingProps {
  label: string;
  hint?: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

/** Something that is on or off. */
export function SwitchSetting({ label, hint, checked, onChange }: SwitchSettingProps) {
  const id = useId();
  return (
    <div className="switch-setting">
      <label htmlFor={id}>
        {label}
        {hint && <span className="field-hint">{hint}</span>}
      </label>
      <input
        id={id}
        className="switch"
        type="checkbox"
        role="switch"
        aria-checked={checked}
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
      />
    </div>
  );
}
