import { Dialog } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { useRef } from 'react';
import type { ChatSettings } from '../../protocol/chat-settings.js';
import type { ModelEntry } from '../../protocol/models.js';
import type { SamplingDefaults } from '../../protocol/sampling-defaults.js';
import { t } from '../i18n/i18n.js';
import { canAnswer } from '../models/model-state.js';
import { PromptField } from '../presets/prompt-field.js';
import { IconButton } from '../shell/icon-button.js';
import { SelectField } from '../shell/select-field.js';
import { NumberField, type NumberRange } from './number-field.js';
import { SchemaField } from './schema-field.js';

/** Ranges as in protocol/settings.ts. */
const SAMPLING: readonly (readonly [keyof SamplingDefaults, NumberRange])[] = [
  ['temperature', { whole: false, min: 0, max: 2 }],
  ['top_p', { whole: false, min: 0, max: 1 }],
  ['top_k', { whole: true, min: 0, max: 1_000_000 }],
  ['min_p', { whole: false, min: 0, max: 1 }],
  ['repeat_penalty', { whole: false, min: 0.01, max: 10 }],
  ['presence_penalty', { whole: false, min: -2, max: 2 }],
  ['frequency_penalty', { whole: false, min: -2, max: 2 }],
  ['max_tokens', { whole: true, min: 1, max: 1_000_000_000 }],
];

const SEED: NumberRange = { whole: true, min: 0, max: 4_294_967_294 };

interface ChatSettingsPanelProps {
  open: boolean;
  onClose: () => void;
  /** Of the chat that is shown; of a new one as they would be. */
  settings: ChatSettings;
  models: readonly ModelEntry[];
  /** That is asked where the chat names none. */
  current: ModelEntry | null;
  onChange: (patch: Partial<ChatSettings>) => void;
  /** New chats shall begin with these. */
  onMakeDefault: () => void;
  onReset: () => void;
}

/** How the chat asks its model; each change holds at once. */
export function ChatSettingsPanel(props: ChatSettingsPanelProps) {
  const title = useRef<HTMLHeadingElement>(null);
  return (
    <Dialog.Root open={props.open} onOpenChange={(open) => !open && props.onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="side-panel" initialFocus={title} data-testid="chat-settings">
          <header className="side-panel-head">
            <div>
              <Dialog.Title ref={title} tabIndex={-1}>
                {t('chat_settings.title')}
              </Dialog.Title>
              <Dialog.Description className="side-panel-subject">
                {t('chat_settings.text')}
              </Dialog.Description>
            </div>
            <Dialog.Close
              render={
                <IconButton label={t('common.close')} icon={<X size={18} aria-hidden="true" />} />
              }
            />
          </header>
          <div className="side-panel-form">
            <ChatSettingsFields {...props} />
            <div className="side-panel-foot">
              <div className="dialog-actions">
                <button type="button" className="button" onClick={props.onReset}>
                  {t('chat_settings.reset')}
                </button>
                <button type="button" className="button" onClick={props.onMakeDefault}>
                  {t('chat_settings.default')}
                </button>
              </div>
            </div>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function ChatSettingsFields({ settings, models, current, onChange }: ChatSettingsPanelProps) {
  const { sampling } = settings;
  const chosen = models.find(({ id }) => id === settings.model) ?? null;
  const model = chosen ?? current;
  const setSampling = (key: keyof SamplingDefaults, value: number | null) => {
    const { [key]: _, ...rest } = sampling;
    onChange({ sampling: value === null ? rest : { ...rest, [key]: value } });
  };
  return (
    <div className="side-panel-body">
      <fieldset className="select-wide">
        <legend className="hidden-visually">{t('chat_settings.model')}</legend>
        <SelectField
          label={t('chat_settings.model')}
          value={settings.model ?? ''}
          options={modelOptions(models, current, settings.model)}
          onChange={(id) => onChange({ model: id === '' ? null : id })}
        />
        {chosen?.status === 'unloaded' && (
          <p className="field-hint">{t('chat_settings.model_loads')}</p>
        )}
        {model?.capabilities.includes('reasoning') && (
          <SelectField
            label={t('chat_settings.thinking')}
            value={settings.thinking === null ? 'auto' : settings.thinking ? 'on' : 'off'}
            options={[
              { value: 'auto', label: t('chat_settings.thinking_auto') },
              { value: 'on', label: t('chat_settings.thinking_on') },
              { value: 'off', label: t('chat_settings.thinking_off') },
            ]}
            onChange={(value) => onChange({ thinking: value === 'auto' ? null : value === 'on' })}
          />
        )}
      </fieldset>
      <fieldset>
        <legend>{t('chat_settings.prompt')}</legend>
        <PromptField settings={settings} onChange={onChange} />
      </fieldset>
      <fieldset>
        <legend>{t('chat_settings.answers')}</legend>
        {SAMPLING.map(([key, range]) => (
          <NumberField
            key={key}
            label={t(`chat_settings.${key}`)}
            hint={t(`chat_settings.${key}_hint`)}
            range={range}
            value={sampling[key] ?? null}
            onChange={(value) => setSampling(key, value)}
          />
        ))}
        <NumberField
          label={t('chat_settings.seed')}
          hint={t('chat_settings.seed_hint')}
          range={SEED}
          value={settings.seed}
          onChange={(seed) => onChange({ seed })}
        />
        <SchemaField
          value={settings.response_schema}
          onChange={(response_schema) => onChange({ response_schema })}
        />
      </fieldset>
    </div>
  );
}

function modelOptions(
  models: readonly ModelEntry[],
  current: ModelEntry | null,
  chosen: string | null,
): { value: string; label: string }[] {
  const own = current
    ? t('chat_settings.model_current', { model: current.name })
    : t('chat_settings.model_none');
  const there = models.filter(canAnswer).map(({ id, name }) => ({ value: id, label: name }));
  const isGone = chosen !== null && !there.some(({ value }) => value === chosen);
  return [
    { value: '', label: own },
    ...there,
    ...(isGone ? [{ value: chosen, label: t('chat_settings.model_gone', { model: chosen }) }] : []),
  ];
}
