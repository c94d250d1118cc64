import { ChevronDown, Languages } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import {
  bestLanguage,
  LANGUAGES,
  WELCOME_STEPS,
  type WelcomeStep,
} from '../../protocol/preferences.js';
import { t } from '../i18n/i18n.js';
import { LANGUAGE_NAMES } from '../i18n/language-names.js';
import { preferences, usePreferences } from '../preferences/preferences.js';
import { useAct } from '../shell/act.js';
import { Flame } from '../shell/flame.js';

interface StepFrameProps {
  step: WelcomeStep;
  title: string;
  text: string;
  /** The button that leads on. */
  primary: {
    label: string;
    /** It does nothing yet. */
    waits?: boolean;
    /** Id of the form that it sends. */
    form?: string;
    onClick?: () => void;
  };
  onBack?: () => void;
  onSkip: () => void;
  children: ReactNode;
}

/** One screen of the first run: what it is about, and the ways on, back and out. */
export function StepFrame(props: StepFrameProps) {
  const { step, title, text, primary, onBack, onSkip, children } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  const at = WELCOME_STEPS.indexOf(step) + 1;
  // Whoever listens hears which screen has come.
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <main className="first-run" data-testid={`welcome-${step}`}>
      <div className="first-run-top">
        <LanguageChoice />
        <button type="button" className="link-button" onClick={onSkip}>
          {t('welcome.skip')}
        </button>
      </div>
      <div className="first-run-scroll">
        <div className="first-run-column">
          <header className="first-run-head">
            <Flame size={48} />
            <h1 ref={heading} tabIndex={-1}>
              {title}
            </h1>
            <p aria-live="polite">{text}</p>
          </header>
          {children}
        </div>
      </div>
      <footer className="first-run-foot">
        <div className="first-run-column">
          {onBack && (
            <button type="button" className="button" onClick={onBack}>
              {t('welcome.back')}
            </button>
          )}
          <p className="first-run-place">
            <span className="hidden-visually">
              {t('welcome.step', { step: at, steps: WELCOME_STEPS.length })}
            </span>
            {WELCOME_STEPS.map((name) => (
              <i key={name} data-current={name === step || undefined} aria-hidden="true" />
            ))}
          </p>
          <button
            type={primary.form === undefined ? 'button' : 'submit'}
            form={primary.form}
            className="button"
            data-kind="primary"
            data-testid="welcome-next"
            aria-disabled={primary.waits}
            onClick={(event) => {
              if (primary.waits) event.preventDefault();
              else primary.onClick?.();
            }}
          >
            {primary.label}
          </button>
        </div>
      </footer>
    </main>
  );
}

function LanguageChoice() {
  const { language } = usePreferences();
  const act = useAct();
  const id = useId();
  const system = LANGUAGE_NAMES[bestLanguage(navigator.languages)];
  return (
    <span className="first-run-language">
      <label htmlFor={id}>
        <Languages size={16} aria-hidden="true" />
        <span className="hidden-visually">{t('welcome.language')}</span>
      </label>
      <span className="select">
        <select
          id={id}
          value={language}
          onChange={(event) => {
            const chosen = (['system', ...LANGUAGES] as const).find(
              (tag) => tag === event.target.value,
            );
            if (chosen) void act('settings', () => preferences.change({ language: chosen }));
          }}
        >
          <option value="system">{t('settings.language_system', { language: system })}</option>
          {LANGUAGES.map((tag) => (
            <option key={tag} value={tag} lang={tag}>
              {LANGUAGE_NAMES[tag]}
            </option>
          ))}
        </select>
        <ChevronDown size={15} aria-hidden="true" />
      </span>
    </span>
  );
}
