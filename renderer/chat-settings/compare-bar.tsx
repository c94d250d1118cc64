import { Plus, X } from 'lucide-react';
import { useId } from 'react';
import type { ModelEntry } from '../../protocol/models.js';
import { t } from '../i18n/i18n.js';
import { canAnswer } from '../models/model-state.js';
import { IconButton } from '../shell/icon-button.js';
import { Select } from '../shell/select.js';

/** As many answers as one question may have at once. */
const MODELS_MAX = 4;

interface CompareBarProps {
  models: readonly ModelEntry[];
  /** Ids of those that answer, at least two. */
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
  onEnd: () => void;
}

/** Which models answer the next question side by side. */
export function CompareBar({ models, chosen, onChange, onEnd }: CompareBarProps) {
  const hint = useId();
  const options = models.filter(canAnswer);
  const nameOf = (id: string) => options.find((model) => model.id === id)?.name ?? id;
  const another = options.find(({ id }) => !chosen.includes(id)) ?? options[0];
  return (
    <fieldset className="compare-bar">
      <legend className="hidden-visually">{t('chat_settings.compare')}</legend>
      {chosen.map((id, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a model may be there twice, and its place is what it is
        <span key={index} className="compare-model">
          <Select
            aria-label={t('chat_settings.compare_with', { n: index + 1 })}
            aria-describedby={hint}
            data-testid={`compare-${index}`}
            value={id}
            onChange={(event) => onChange(chosen.with(index, event.target.value))}
          >
            {options.map((model) => (
              <option key={model.id} value={model.id}>
                {model.name}
              </option>
            ))}
          </Select>
          {chosen.length > 2 && (
            <IconButton
              label={t('chat_settings.compare_remove', { model: nameOf(id) })}
              icon={<X size={16} aria-hidden="true" />}
              onClick={() => onChange(chosen.toSpliced(index, 1))}
            />
          )}
        </span>
      ))}
      {chosen.length < MODELS_MAX && another && (
        <IconButton
          label={t('chat_settings.compare_add')}
          icon={<Plus size={18} aria-hidden="true" />}
          data-testid="compare-add"
          onClick={() => onChange([...chosen, another.id])}
        />
      )}
      <IconButton
        label={t('chat_settings.compare_end')}
        icon={<X size={18} aria-hidden="true" />}
        data-testid="compare-end"
        onClick={onEnd}
      />
      <p id={hint} className="field-hint">
        {t('chat_settings.compare_hint')}
      </p>
    </fieldset>
  );
}
