import { type FormEvent, useEffect, useId, useState } from 'react';
import { KV_TYPES } from '../../protocol/engine-load.js';
import type { ModelEntry } from '../../protocol/models.js';
import type { ModelSettings } from '../../protocol/settings.js';
import { messageOf } from '../api/error.js';
import { estimateModel, putModelSettings } from '../api/models.js';
import { FitBar } from '../discover/fit-bar.js';
import { t } from '../i18n/i18n.js';
import { idleChoices, idleSeconds } from '../settings/idle-times.js';
import { SwitchSetting } from '../settings/setting.js';
import { formatCount } from '../shell/format.js';
import { SelectField } from '../shell/select-field.js';
import { useStore } from '../shell/use-store.js';
import { EstimateStore } from './estimate-store.js';
import { NumberSetting } from './number-setting.js';
import {
  LOAD_NUMBERS,
  loadSettings,
  readForm,
  SAMPLING_NUMBERS,
  settingsForm,
} from './settings-form.js';

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
    { value: '', label: t('model-settings.automatic') },
    { value: 'on', label: t('model-settings.on') },
    { value: 'off', label: t('model-settings.off') },
  ] as const;
  const kvTypes = [
    { value: '', label: t('model-settings.automatic') },
    ...KV_TYPES.map((type) => ({ value: type, label: type })),
  ] as const;
  const { choices } = form;
  const trained = model.trained_context_length;
  const ttlNow = form.ttl === '' ? null : idleSeconds(form.ttl);
  return (
    <form className="side-panel-form" onSubmit={submit}>
      <div className="side-panel-body">
        <fieldset>
          <legend>{t('model-settings.loading')}</legend>
          {LOAD_NUMBERS.map((field) => (
            <NumberSetting
              key={field.key}
              field={field}
              label={t(`model-settings.${field.key}`)}
              placeholder={t('model-settings.automatic')}
              hint={
                field.key === 'context_length' && trained !== null
                  ? t('model-settings.up_to', { tokens: formatCount(trained) })
                  : null
              }
              value={form.numbers[field.key]}
              isWrong={wrong.includes(field.key)}
              onChange={(value) => change({ numbers: { ...form.numbers, [field.key]: value } })}
            />
          ))}
          <SelectField
            label={t('model-settings.kv_type_k')}
            value={choices.kv_type_k}
            options={kvTypes}
            onChange={(kv_type_k) => change({ choices: { ...choices, kv_type_k } })}
          />
          <SelectField
            label={t('model-settings.kv_type_v')}
            value={choices.kv_type_v}
            options={kvTypes}
            onChange={(kv_type_v) => change({ choices: { ...choices, kv_type_v } })}
          />
          <SelectField
            label={t('model-settings.flash_attention')}
            value={choices.flash_attention === 'auto' ? '' : choices.flash_attention}
            options={onOff}
            onChange={(flash_attention) => change({ choices: { ...choices, flash_attention } })}
          />
          <SelectField
            label={t('model-settings.rpc')}
            value={choices.rpc === 'auto' ? '' : choices.rpc}
            options={onOff}
            onChange={(rpc) => change({ choices: { ...choices, rpc } })}
          />
        </fieldset>
        <fieldset>
          <legend>{t('model-settings.names')}</legend>
          <SwitchSetting
            label={t('model-settings.pinned')}
            hint={t('model-settings.pinned_hint')}
            checked={form.pinned}
            onChange={(pinned) => change({ pinned })}
          />
          <SelectField
            label={t('model-settings.ttl')}
            value={form.ttl}
            options={[{ value: '', label: t('model-settings.like_all') }, ...idleChoices(ttlNow)]}
            onChange={(ttl) => change({ ttl })}
          />
          <TextField
            label={t('model-settings.aliases')}
            hint={t('model-settings.aliases_hint')}
            value={form.aliases}
            onChange={(aliases) => change({ aliases })}
          />
        </fieldset>
        <fieldset>
          <legend>{t('model-settings.answers')}</legend>
          <p className="field-hint">{t('model-settings.sampling_hint')}</p>
          {SAMPLING_NUMBERS.map((field) => (
            <NumberSetting
              key={field.key}
              field={field}
              label={t(`model-settings.${field.key}`)}
              placeholder={t('model-settings.automatic')}
              hint={null}
              value={form.sampling[field.key]}
              isWrong={wrong.includes(field.key)}
              onChange={(value) => change({ sampling: { ...form.sampling, [field.key]: value } })}
            />
          ))}
          <TextField
            label={t('model-settings.system_prompt')}
            hint={t('model-settings.system_prompt_hint')}
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
        {model.status === 'loaded' && <p className="field-hint">{t('model-settings.applies')}</p>}
        <div className="dialog-actions">
          <button type="button" className="button" onClick={() => setForm(settingsForm({}))}>
            {t('model-settings.reset')}
          </button>
          <button
            type="submit"
            className="button"
            data-kind="primary"
            aria-disabled={saving || wrong.length > 0}
          >
            {t(saving ? 'model-settings.saving' : 'common.save')}
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
  const text = checking
    ? t('model-settings.estimating')
    : (failure ?? t('model-settings.no_estimate'));
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
