import { X } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import { t } from '../i18n/i18n.js';
import { IconButton } from '../shell/icon-button.js';
import { acceleratorKeys, acceleratorOf } from './accelerator.js';
import { SettingRow } from './setting.js';

const isMac = navigator.platform.startsWith('Mac');

interface ShortcutSettingProps {
  label: string;
  hint: string;
  /** Null: none. */
  value: string | null;
  onChange: (value: string | null) => void;
}

/** A shortcut, taken from the keyboard. */
export function ShortcutSetting({ label, hint, value, onChange }: ShortcutSettingProps) {
  const [recording, setRecording] = useState(false);
  const record = (event: KeyboardEvent) => {
    if (!recording) return;
    // While it listens every key is meant for it, Tab and Escape too.
    event.preventDefault();
    event.stopPropagation();
    if (event.key === 'Escape') {
      setRecording(false);
      return;
    }
    const accelerator = acceleratorOf(event);
    if (accelerator === null) return;
    setRecording(false);
    onChange(accelerator);
  };
  return (
    <SettingRow label={label} hint={recording ? t('settings.shortcut_needs') : hint}>
      {({ id, labelledBy, describedBy }) => (
        <>
          {value !== null && !recording && (
            <kbd className="shortcut">
              {acceleratorKeys(value, isMac).map((key) => (
                <span key={key} className="shortcut-key">
                  {key}
                </span>
              ))}
            </kbd>
          )}
          <button
            id={id}
            type="button"
            className="button"
            data-size="small"
            aria-pressed={recording}
            aria-labelledby={labelledBy}
            aria-describedby={describedBy}
            onClick={() => setRecording(true)}
            onBlur={() => setRecording(false)}
            onKeyDown={record}
          >
            {recording
              ? t('settings.shortcut_press')
              : t(value === null ? 'settings.shortcut_set' : 'settings.shortcut_change')}
          </button>
          {value !== null && !recording && (
            <IconButton
              size="small"
              label={t('settings.shortcut_remove')}
              icon={<X size={15} aria-hidden="true" />}
              onClick={() => onChange(null)}
            />
          )}
        </>
      )}
    </SettingRow>
  );
}
