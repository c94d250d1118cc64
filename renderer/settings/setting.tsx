import { RotateCcw } from 'lucide-react';
import { createContext, type ReactNode, useContext, useEffect, useId, useRef } from 'react';
import { t } from '../i18n/i18n.js';

/** Id of the setting that was searched for; null: none. */
export const SoughtSetting = createContext<string | null>(null);

interface SettingsSectionProps {
  title: string;
  text?: string;
  /** Null: all is as it was at first; left out: there is nothing to reset. */
  onReset?: (() => void) | null;
  children: ReactNode;
}

/** A group of settings under a heading. */
export function SettingsSection({ title, text, onReset, children }: SettingsSectionProps) {
  const id = useId();
  return (
    <section className="settings-section" aria-labelledby={id}>
      <div className="settings-about">
        <h2 id={id}>{title}</h2>
        {onReset && (
          <button
            type="button"
            className="button"
            data-size="small"
            aria-label={t('settings.reset_label', { section: title })}
            onClick={onReset}
          >
            <RotateCcw size={14} aria-hidden="true" />
            {t('settings.reset')}
          </button>
        )}
        {text && <p>{text}</p>}
      </div>
      <div className="settings-body">{children}</div>
    </section>
  );
}

/** The place of a setting, which a search leads to. */
export function SettingPlace({ id, children }: { id: string; children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  const isSought = useContext(SoughtSetting) === id;
  useEffect(() => {
    if (!isSought || !place.current) return;
    place.current.scrollIntoView({ block: 'center' });
    const control = place.current.querySelector<HTMLElement>(
      'input:checked, input:not([type="radio"]), select, button, textarea, a',
    );
    control?.focus({ preventScroll: true });
  }, [isSought]);
  return (
    <div
      ref={place}
      className="setting-place"
      data-sought={isSought || undefined}
      data-testid={`setting-${id}`}
    >
      {children}
    </div>
  );
}

interface SettingRowProps {
  label: string;
  hint?: ReactNode;
  /**
   * Gets the id of the control that the label belongs to, and that of its hint. `labelledBy` is for a button with words of
   * its own: the label alone would hide them from who asks for them by voice.
   */
  children: (ids: { id: string; labelledBy: string; describedBy: string | undefined }) => ReactNode;
}

/** A label and its control on one line. */
export function SettingRow({ label, hint, children }: SettingRowProps) {
  const id = useId();
  return (
    <div className="setting-row">
      <div className="setting-name">
        <label htmlFor={id} id={`${id}-label`}>
          {label}
        </label>
        {hint && (
          <p className="field-hint" id={`${id}-hint`}>
            {hint}
          </p>
        )}
      </div>
      <div className="setting-control">
        {children({
          id,
          labelledBy: `${id}-label ${id}`,
          describedBy: hint ? `${id}-hint` : undefined,
        })}
      </div>
    </div>
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
  return (
    <SettingRow label={label} hint={hint}>
      {({ id, describedBy }) => (
        <input
          id={id}
          className="switch"
          type="checkbox"
          role="switch"
          aria-checked={checked}
          aria-describedby={describedBy}
          checked={checked}
          onChange={(event) => onChange(event.target.checked)}
        />
      )}
    </SettingRow>
  );
}
