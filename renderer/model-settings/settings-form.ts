import { loadSettingsSchema, type ModelLoadSettings } from '../../protocol/model-control.js';
import type { SamplingDefaults } from '../../protocol/sampling-defaults.js';
import type { ModelSettings } from '../../protocol/settings.js';
import { idleSeconds, idleValue } from '../settings/idle-times.js';

/** A number that may be left to the server. */
export interface NumberField<K extends string> {
  key: K;
  whole: boolean;
  min: number;
  max: number;
}

type LoadNumber = 'context_length' | 'parallel' | 'gpu_layers' | 'threads';

/** Ranges as in protocol/settings.ts. */
export const LOAD_NUMBERS: readonly NumberField<LoadNumber>[] = [
  { key: 'context_length', whole: true, min: 1, max: 1e9 },
  { key: 'parallel', whole: true, min: 1, max: 256 },
  { key: 'gpu_layers', whole: true, min: 0, max: 100_000 },
  { key: 'threads', whole: true, min: 1, max: 512 },
];

export const SAMPLING_NUMBERS: readonly NumberField<keyof SamplingDefaults>[] = [
  { key: 'temperature', whole: false, min: 0, max: 2 },
  { key: 'top_p', whole: false, min: 0, max: 1 },
  { key: 'top_k', whole: true, min: 0, max: 1e9 },
  { key: 'min_p', whole: false, min: 0, max: 1 },
  { key: 'repeat_penalty', whole: false, min: 0.01, max: 10 },
  { key: 'presence_penalty', whole: false, min: -2, max: 2 },
  { key: 'frequency_penalty', whole: false, min: -2, max: 2 },
  { key: 'max_tokens', whole: true, min: 1, max: 1e9 },
];

const CHOICES = ['kv_type_k', 'kv_type_v', 'flash_attention', 'rpc'] as const;
export type Choice = (typeof CHOICES)[number];

/** A model's settings as they are typed and chosen; '' leaves a value to the server. */
export interface SettingsForm {
  numbers: Record<LoadNumber, string>;
  sampling: Record<keyof SamplingDefaults, string>;
  choices: { [K in Choice]: NonNullable<ModelSettings[K]> | '' };
  /** As idleValue; '': as set for all models. */
  ttl: string;
  pinned: boolean;
  aliases: string;
  system_prompt: string;
}

export type NumberKey = LoadNumber | keyof SamplingDefaults;

const text = (value: number | undefined) => (value === undefined ? '' : String(value));

export function settingsForm(settings: ModelSettings): SettingsForm {
  const { sampling = {} } = settings;
  return {
    numbers: {
      context_length: text(settings.context_length),
      parallel: text(settings.parallel),
      gpu_layers: text(settings.gpu_layers),
      threads: text(settings.threads),
    },
    sampling: {
      temperature: text(sampling.temperature),
      top_p: text(sampling.top_p),
      top_k: text(sampling.top_k),
      min_p: text(sampling.min_p),
      repeat_penalty: text(sampling.repeat_penalty),
      presence_penalty: text(sampling.presence_penalty),
      frequency_penalty: text(sampling.frequency_penalty),
      max_tokens: text(sampling.max_tokens),
    },
    choices: {
      kv_type_k: settings.kv_type_k ?? '',
      kv_type_v: settings.kv_type_v ?? '',
      flash_attention: settings.flash_attention ?? '',
      rpc: settings.rpc ?? '',
    },
    ttl: settings.ttl === undefined ? '' : idleValue(settings.ttl),
    pinned: settings.pinned ?? false,
    aliases: (settings.aliases ?? []).join(', '),
    system_prompt: settings.system_prompt ?? '',
  };
}

/** What a form says, and which of its numbers are none or out of their range. */
export interface ReadForm {
  settings: ModelSettings;
  wrong: NumberKey[];
}

/** The settings of a form; those that it does not show stay as they are in `base`. */
export function readForm(form: SettingsForm, base: ModelSettings): ReadForm {
  const { context_length, parallel, gpu_layers, threads, ...others } = base;
  const { kv_type_k, kv_type_v, flash_attention, rpc, ...kept } = others;
  const { ttl, pinned, aliases, sampling, system_prompt, ...rest } = kept;
  const numbers = readNumbers(LOAD_NUMBERS, form.numbers);
  const samplingRead = readNumbers(SAMPLING_NUMBERS, form.sampling);
  const names = [...new Set(form.aliases.split(',').map((name) => name.trim()))].filter(Boolean);
  const choices = Object.fromEntries(
    CHOICES.flatMap((key) => (form.choices[key] === '' ? [] : [[key, form.choices[key]]])),
  );
  return {
    settings: {
      ...rest,
      ...numbers.values,
      ...choices,
      ...(form.ttl === '' ? {} : { ttl: idleSeconds(form.ttl) }),
      ...(form.pinned ? { pinned: true } : {}),
      ...(names.length === 0 ? {} : { aliases: names }),
      ...(Object.keys(samplingRead.values).length === 0 ? {} : { sampling: samplingRead.values }),
      ...(form.system_prompt.trim() === '' ? {} : { system_prompt: form.system_prompt }),
    },
    wrong: [...numbers.wrong, ...samplingRead.wrong],
  };
}

const loadPart = loadSettingsSchema.strip();

/** Those of the settings on which a load depends: what a model takes is asked with no others. */
export function loadSettings(settings: ModelSettings): ModelLoadSettings {
  return loadPart.parse(settings);
}

function readNumbers<K extends string>(
  fields: readonly NumberField<K>[],
  texts: Record<K, string>,
): { values: Partial<Record<K, number>>; wrong: K[] } {
  const values: Partial<Record<K, number>> = {};
  const wrong: K[] = [];
  for (const { key, whole, min, max } of fields) {
    const typed = texts[key].trim().replace(',', '.');
    if (typed === '') continue;
    const value = Number(typed);
    const good = (whole ? Number.isInteger(value) : Number.isFinite(value)) && value >= min;
    if (good && value <= max) values[key] = value;
    else wrong.push(key);
  }
  return { values, wrong };
}
