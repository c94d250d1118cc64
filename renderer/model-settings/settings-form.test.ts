import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ModelSettings, modelSettingsSchema } from '../../protocol/settings.js';
import {
  LOAD_NUMBERS,
  loadSettings,
  readForm,
  SAMPLING_NUMBERS,
  settingsForm,
} from './settings-form.js';

describe('loadSettings', () => {
  it('leaves out what no load depends on', () => {
    const settings: ModelSettings = {
      ...{ context_length: 512, rpc: 'off', ttl: 60, pinned: true, aliases: ['gpt-4o'] },
      ...{ sampling: { temperature: 0 }, system_prompt: 'Be brief.' },
    };
    expect(loadSettings(settings)).toEqual({ context_length: 512, rpc: 'off' });
  });
});

describe('readForm', () => {
  it('leaves to the server what is left empty', () => {
    expect(readForm(settingsForm({}), {})).toEqual({ settings: {}, wrong: [] });
  });

  it('gives back the settings it was made of, also those it does not show', () => {
    const settings: ModelSettings = {
      ...{ context_length: 8192, parallel: 2, threads: 4, gpu_layers: 0, kv_type_k: 'q8_0' },
      ...{ flash_attention: 'on', ttl: null, pinned: true, aliases: ['gpt-4o', 'default'] },
      ...{ sampling: { temperature: 0, top_k: 40 }, system_prompt: 'Be brief.' },
      ...{ speculation: 'off', draft_model: 'small', unified_kv: 'off', rpc: 'on' },
    };
    expect(readForm(settingsForm(settings), settings)).toEqual({ settings, wrong: [] });
  });

  it('tells which numbers are none', () => {
    const form = settingsForm({});
    form.numbers.context_length = 'much';
    form.numbers.parallel = '1.5';
    form.numbers.threads = '0';
    form.sampling.temperature = '2,5';
    form.sampling.top_p = '0,9';
    const { settings, wrong } = readForm(form, {});
    expect(wrong).toEqual(['context_length', 'parallel', 'threads', 'temperature']);
    expect(settings).toEqual({ sampling: { top_p: 0.9 } });
  });

  it('lets a value go that is emptied', () => {
    const base: ModelSettings = { context_length: 8192, pinned: true, ttl: 60, aliases: ['a'] };
    const form = { ...settingsForm(base), pinned: false, ttl: '', aliases: ' , ' };
    form.numbers.context_length = ' ';
    expect(readForm(form, base)).toEqual({ settings: {}, wrong: [] });
  });

  it('only ever gives settings that the server takes', () => {
    const texts = (keys: readonly { key: string }[]) =>
      fc.record(
        Object.fromEntries(
          keys.map(({ key }) => [key, fc.oneof(fc.double().map(String), fc.integer().map(String))]),
        ),
      );
    fc.assert(
      fc.property(texts(LOAD_NUMBERS), texts(SAMPLING_NUMBERS), (numbers, sampling) => {
        const form = settingsForm({});
        Object.assign(form.numbers, numbers);
        Object.assign(form.sampling, sampling);
        const { settings } = readForm(form, {});
        expect(modelSettingsSchema.parse(settings)).toEqual(settings);
      }),
    );
  });
});
