import { Check, type LucideIcon, Monitor, Moon, Sun } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { ACCENTS, PREFERENCE_DEFAULTS, type Preferences } from '../../protocol/preferences.js';
import { currentLanguage, t } from '../i18n/i18n.js';
import { preferences, usePreferences } from '../preferences/preferences.js';
import { useAct } from '../shell/act.js';
import { SettingPlace, SettingsSection } from './setting.js';
import { useReset } from './use-reset.js';

const THEMES: readonly { value: Preferences['theme']; Icon: LucideIcon }[] = [
  { value: 'system', Icon: Monitor },
  { value: 'light', Icon: Sun },
  { value: 'dark', Icon: Moon },
];

/** From 0.8 to 1.6, as the preferences allow; steps that can be told apart. */
const TEXT_SIZES = [0.8, 0.9, 1, 1.15, 1.3, 1.45, 1.6];

type Looks = Pick<Preferences, 'theme' | 'accent' | 'text_size'>;
const looks = ({ theme, accent, text_size }: Preferences): Looks => ({ theme, accent, text_size });

/** Theme, accent and text size. */
export function AppearanceSettings() {
  const now = usePreferences();
  const act = useAct();
  const title = t('settings.appearance');
  const set = (patch: Partial<Preferences>) =>
    void act('settings', () => preferences.change(patch));
  const reset = useReset(title, looks(now), looks(PREFERENCE_DEFAULTS), (values) =>
    preferences.change(values),
  );
  const percent = new Intl.NumberFormat(currentLanguage(), { style: 'percent' });
  const nearest = TEXT_SIZES.reduce((best, size) =>
    Math.abs(size - now.text_size) < Math.abs(best - now.text_size) ? size : best,
  );
  return (
    <SettingsSection title={title} text={t('settings.appearance_text')} onReset={reset}>
      <SettingPlace id="theme">
        <Choices label={t('settings.theme')}>
          {(name) => (
            <div className="theme-choices">
              {THEMES.map(({ value, Icon }) => (
                <label key={value} className="theme-choice" data-theme-shown={value}>
                  <input
                    type="radio"
                    name={name}
                    checked={now.theme === value}
                    onChange={() => set({ theme: value })}
                  />
                  <span className="theme-picture" aria-hidden="true">
                    <span />
                    <span />
                    <span />
                  </span>
                  <span className="theme-name">
                    <Icon size={15} aria-hidden="true" />
                    {t(`settings.theme_${value}`)}
                  </span>
                </label>
              ))}
            </div>
          )}
        </Choices>
      </SettingPlace>
      <SettingPlace id="accent">
        <Choices label={t('settings.accent')} hint={t('settings.accent_hint')} inline>
          {(name) => (
            <div className="accent-choices">
              {ACCENTS.map((accent) => (
                <label
                  key={accent}
                  className="accent-choice"
                  title={t(`settings.accent_${accent}`)}
                >
                  <input
                    type="radio"
                    name={name}
                    aria-label={t(`settings.accent_${accent}`)}
                    checked={now.accent === accent}
                    onChange={() => set({ accent })}
                  />
                  <span className="accent-swatch" data-accent={accent} aria-hidden="true">
                    {now.accent === accent && <Check size={14} strokeWidth={3} />}
                  </span>
                </label>
              ))}
            </div>
          )}
        </Choices>
      </SettingPlace>
      <SettingPlace id="text_size">
        <Choices label={t('settings.text_size')} hint={t('settings.text_size_hint')} inline>
          {(name) => (
            <div className="size-choices">
              {TEXT_SIZES.map((size) => (
                <label key={size} className="size-choice" title={percent.format(size)}>
                  <input
                    type="radio"
                    name={name}
                    aria-label={percent.format(size)}
                    checked={nearest === size}
                    onChange={() => set({ text_size: size })}
                  />
                  <span
                    className="size-sample"
                    aria-hidden="true"
                    style={{ fontSize: `${size}em` }}
                  >
                    {t('settings.text_size_sample')}
                  </span>
                </label>
              ))}
            </div>
          )}
        </Choices>
      </SettingPlace>
    </SettingsSection>
  );
}

interface ChoicesProps {
  label: string;
  hint?: string;
  /** Beside the label, where there is room. */
  inline?: boolean;
  /** Gets the name that its radio buttons share. */
  children: (name: string) => ReactNode;
}

/** One of a few things that can be seen. */
function Choices({ label, hint, inline, children }: ChoicesProps) {
  const id = useId();
  return (
    <div
      className={inline ? 'setting-row' : 'setting-block'}
      role="radiogroup"
      aria-labelledby={id}
      aria-describedby={hint ? `${id}-hint` : undefined}
    >
      <div className="setting-name">
        <span className="setting-label" id={id}>
          {label}
        </span>
        {hint && (
          <p className="field-hint" id={`${id}-hint`}>
            {hint}
          </p>
        )}
      </div>
      <div className="setting-control">{children(id)}</div>
    </div>
  );
}
