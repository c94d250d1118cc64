import { useId } from 'react';
import { t } from '../i18n/i18n.js';
import { formatTokens } from '../shell/format.js';

interface ContextSliderProps {
  /** Contexts to choose from, in tokens, smallest first. */
  steps: readonly number[];
  value: number;
  onChange: (tokens: number) => void;
}

/** The context for which the verdicts are told. */
export function ContextSlider({ steps, value, onChange }: ContextSliderProps) {
  const id = useId();
  const at = Math.max(
    steps.findLastIndex((step) => step <= value),
    0,
  );
  const text = formatTokens(value);
  return (
    <div className="slider-field">
      <label htmlFor={id}>{t('discover.context')}</label>
      <output htmlFor={id}>{text}</output>
      <input
        id={id}
        type="range"
        min={0}
        max={steps.length - 1}
        step={1}
        value={at}
        disabled={steps.length < 2}
        aria-valuetext={text}
        aria-describedby={`${id}-hint`}
        // The part up to the thumb is coloured.
        style={{
          backgroundSize: `${steps.length < 2 ? 100 : (at / (steps.length - 1)) * 100}% 100%`,
        }}
        onChange={(event) => {
          const step = steps[event.target.valueAsNumber];
          if (step !== undefined) onChange(step);
        }}
      />
      <p className="field-hint" id={`${id}-hint`}>
        {t('discover.context_hint')}
      </p>
    </div>
  );
}
