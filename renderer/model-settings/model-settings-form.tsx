import { type FormEvent, useEffect, useId, useState } from 'react';
import { KV_TYPES } from '../../protocol/engine-load.js';
import type { ModelEntry } from '../../protocol/models.js';
import type { ModelSettings } from '../../protocol/settings.js';
import { messageOf } from '../api/error.js';
import { estimateModel, putModelSettings } from '../api/models.js';
import { FitBar } from '../discover/fit-bar.js';
import { idleChoices, idleSeconds } from '../settings/idle-times.js';
import { SwitchSetting } from '../settings/setting.js';
import { formatCount } from '../shell/format.js';
import { SelectField } from '../shell/select-field.js';
import { useStore } from '../shell/use-store.js';
import { EstimateStore } from './estimate-store.js';
import { NumberSetting } from './number-setting.js';
import {
  type Choice,
  LOAD_NUMBERS,
  loadSettings,
  type NumberKey,
  readForm,
  SAMPLING_NUMBERS,
  settingsForm,
} from './settings-form.js';

const words = {
  automatic: 'Automatic',
  loading: 'Loading',
  answers: 'Answers',
  names: 'Names and memory',
  numbers: {
    context_length: 'Context, in tokens',
    parallel: 'Requests at the same time',
    gpu_layers: 'Layers on the GPU',
    threads: 'Threads',
    temperature: 'Temperature',
    top_p: 'Top p',
    top_k: 'Top k',
    min_p: 'Min p',
    repeat_penalty: 'Repeat penalty',
    presence_penalty: 'Presence penalty',
    frequency_penalty: 'Frequency penalty',
    max_tokens: 'Longest answer, in tokens',
  } satisfies Record<NumberKey, string>,
  choices: {
    kv_type_k: 'Type of cached keys',
    kv_type_v: 'Type of cached values',
    flash_attention: 'Flash attention',
    rpc: 'Spread over other machines',
  } satisfies Record<Choice, string>,
  on: 'On',
  off: 'Off',
  upTo: (context: string) => `It was trained for up to ${context}.`,
  samplingHint: 'For requests that do not say it themselves.',
  systemPrompt: 'System prompt',
  systemPromptHint: 'Of chats that bring none of their own.',
  aliases: 'Further names for programs',
  aliasesHint: 'With commas between them, such as: gpt-4o, default',
  ttl: 'Leaves memory when idle for',
  likeAll: 'As for all models',
  pinned: 'Keep in memory',
  pinnedHint: 'It never makes room for another model.',
  estimating: 'Working out what it takes…',
  noEstimate: 'What it takes cannot be told now.',
  applies: 'A loaded model takes over its new settings as soon as it is idle.',
  reset: 'All automatic',
  save: 'Save',
  saving: 'Saving…',
};

interface ModelSettingsFormProps {
  model: ModelEntry;
  /** As they are set now. */
  settings: ModelSettings;
  onClose: () => void;
}

/** Changes a model's settings, and shows what they cost. */
export function ModelSettingsForm({ model, settings, onClose }: ModelSettingsFormProps) {
  const [form, setForm] = useState(() => settingsForm(settings));
  const [saving, setSaving] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const { settings: wanted, wrong } = readForm(form, settings);
  const change = (part: Partial<typeof form>) => setForm((before) => ({ ...before, ...part }));

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (wrong.length > 0 || saving) return;
    setSaving(true);
    try {
      await putModelSettings(model.id, wanted);
      onClose();
    } catch (cause) {
      setFailure(messageOf(cause));
      setSaving(false);
    }
  };
  const onOff = [
    { value: '', label: words.automatic },
    { value: 'on', label: words.on },
    { value: 'off', label: words.off },
  ] as const;
  const kvTypes = [
    { value: '', label: words.automatic },
    ...KV_TYPES.map((type) => ({ value: type, label: type })),
  ] as const;
  const { choices } = form;
  const trained = model.trained_context_length;
  const ttlNow = form.ttl === '' ? null : idleSeconds(form.ttl);
  return (
    <form className="side-panel-form" onSubmit={submit}>
      <div className="side-panel-body">
        <fieldset>
          <legend>{words.loading}</legend>
          {LOAD_NUMBERS.map((field) => (
            <NumberSetting
              key={field.key}
              field={field}
              label={words.numbers[field.key]}
              placeholder={words.automatic}
              hint={
                field.key === 'context_length' && trained !== null
                  ? words.upTo(formatCount(trained))
                  : null
              }
              value={form.numbers[field.key]}
              isWrong={wrong.includes(field.key)}
              onChange={(value) => change({ numbers: { ...form.numbers, [field.key]: value } })}
            />
          ))}
          <SelectField
            label={words.choices.kv_type_k}
            value={choices.kv_type_k}
            options={kvTypes}
            onChange={(kv_type_k) => change({ choices: { ...choices, kv_type_k } })}
          />
          <SelectField
            label={words.choices.kv_type_v}
            value={choices.kv_type_v}
            options={kvTypes}
            onChange={(kv_type_v) => change({ choices: { ...choices, kv_type_v } })}
          />
          <SelectField
            label={words.choices.flash_attention}
            value={choices.flash_attention === 'auto' ? '' : choices.flash_attention}
            options={onOff}
            onChange={(flash_attention) => change({ choices: { ...choices, flash_attention } })}
          />
          <SelectField
            label={words.choices.rpc}
            value={choices.rpc === 'auto' ? '' : choices.rpc}
            options={onOff}
            onChange={(rpc) => change({ choices: { ...choices, rpc } })}
          />
        </fieldset>
        <fieldset>
          <legend>{words.names}</legend>
          <SwitchSetting
            label={words.pinned}
            hint={words.pinnedHint}
            checked={form.pinned}
            onChange={(pinned) => change({ pinned })}
          />
          <SelectField
            label={words.ttl}
            value={form.ttl}
            options={[{ value: '', label: words.likeAll }, ...idleChoices(ttlNow)]}
            onChange={(ttl) => change({ ttl })}
          />
          <TextField
            label={words.aliases}
            hint={words.aliasesHint}
            value={form.aliases}
            onChange={(aliases) => change({ aliases })}
          />
        </fieldset>
        <fieldset>
          <legend>{words.answers}</legend>
          <p className="field-hint">{words.samplingHint}</p>
          {SAMPLING_NUMBERS.map((field) => (
            <NumberSetting
              key={field.key}
              field={field}
              label={words.numbers[field.key]}
              placeholder={words.automatic}
              hint={null}
              value={form.sampling[field.key]}
              isWrong={wrong.includes(field.key)}
              onChange={(value) => change({ sampling: { ...form.sampling, [field.key]: value } })}
            />
          ))}
          <TextField
            label={words.systemPrompt}
            hint={words.systemPromptHint}
            rows={4}
            value={form.system_prompt}
            onChange={(system_prompt) => change({ system_prompt })}
          />
        </fieldset>
      </div>
      <footer className="side-panel-foot">
        <Cost id={model.id} settings={wanted} />
        {failure !== null && (
          <p className="setting-failure" role="alert" dir="auto">
            {failure}
          </p>
        )}
        {model.status === 'loaded' && <p className="field-hint">{words.applies}</p>}
        <div className="dialog-actions">
          <button type="button" className="button" onClick={() => setForm(settingsForm({}))}>
            {words.reset}
          </button>
          <button
            type="submit"
            className="button"
            data-kind="primary"
            aria-disabled={saving || wrong.length > 0}
          >
            {saving ? words.saving : words.save}
          </button>
        </div>
      </footer>
    </form>
  );
}

/** What the settings cost in memory. */
function Cost({ id, settings }: { id: string; settings: ModelSettings }) {
  const [store] = useState(
    () => new EstimateStore((asked, signal) => estimateModel(id, asked, signal)),
  );
  const { fit, checking, failure } = useStore(store);
  useEffect(() => store.ask(loadSettings(settings)), [store, settings]);
  useEffect(() => () => store.stop(), [store]);
  if (fit !== null) return <FitBar fit={fit} checking={checking} />;
  const text = checking ? words.estimating : (failure ?? words.noEstimate);
  return (
    <p className="field-hint" dir="auto">
      {text}
    </p>
  );
}

interface TextFieldProps {
  label: string;
  hint: string;
  value: string;
  /** More than one line. */
  rows?: number;
  onChange: (value: string) => void;
}

function TextField({ label, hint, value, rows, onChange }: TextFieldProps) {
  const id = useId();
  const shared = { id, className: 'input', dir: 'auto', value, 'aria-describedby': `${id}-hint` };
  return (
    <div className="text-setting">
      <label htmlFor={id}>{label}</label>
      {rows === undefined ? (
        <input {...shared} onChange={(event) => onChange(event.target.value)} />
      ) : (
        <textarea {...shared} rows={rows} onChange={(event) => onChange(event.target.value)} />
      )}
      <p className="field-hint" id={`${id}-hint`}>
        {hint}
      </p>
    </div>
  );
}
