import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PREFERENCE_DEFAULTS } from '../../protocol/preferences.js';
import { SETTING_DEFAULTS } from '../../protocol/settings.js';
import { readStored } from './stored-settings.js';

const GOOD = {
  currentModel: 'guide',
  models_dir: '/models',
  folders: ['/a'],
  sources: { ollama: false },
  memory_budget_bytes: 1,
  idle_ttl: 60,
  memory_wait: 90,
  hub_endpoint: 'https://hub.example',
  rpc_hosts: ['10.0.0.1:50052'],
  preferences: { theme: 'dark' },
  models: { guide: { ttl: null, pinned: true, sampling: { temperature: 0 } } },
  upstreams: [{ id: 'u', name: 'big', url: 'http://10.0.0.5:8000', models: null, enabled: true }],
  last_used: { guide: 1_700_000_000 },
};

it('takes what is good', () => {
  const { stored, damaged } = readStored(GOOD, SETTING_DEFAULTS);
  expect(damaged).toEqual([]);
  expect(stored.server).toEqual({
    ...SETTING_DEFAULTS,
    models_dir: '/models',
    folders: ['/a'],
    sources: { lm_studio: true, hugging_face: true, llama_cpp: true, ollama: false },
    memory_budget_bytes: 1,
    idle_ttl: 60,
    memory_wait: 90,
    hub_endpoint: 'https://hub.example',
    rpc_hosts: ['10.0.0.1:50052'],
    preferences: { ...PREFERENCE_DEFAULTS, theme: 'dark' },
  });
  expect(stored.models).toEqual(new Map(Object.entries(GOOD.models)));
  expect(stored.upstreams).toEqual(GOOD.upstreams);
  expect(stored.lastUsed.get('guide')).toBe(1_700_000_000);
});

it('falls back for a damaged value alone, and names it', () => {
  const { stored, damaged } = readStored(
    {
      ...GOOD,
      idle_ttl: -1,
      sources: { ollama: 'no', lm_studio: false },
      preferences: { accent: 'mauve', text_size: 1.2 },
      models: { guide: { ttl: 'x', pinned: true, future: 1 }, other: 5 },
      upstreams: [...GOOD.upstreams, { id: 'v' }],
      last_used: { guide: '1', other: 2 },
    },
    SETTING_DEFAULTS,
  );
  expect(new Set(damaged)).toEqual(
    new Set([
      ...['idle_ttl', 'sources.ollama', 'models.guide.ttl', 'models.other', 'upstreams[1]'],
      ...['last_used.guide', 'preferences.accent'],
    ]),
  );
  expect(stored.server.idle_ttl).toBe(SETTING_DEFAULTS.idle_ttl);
  expect(stored.server.models_dir).toBe('/models');
  expect(stored.server.sources).toEqual({ ...SETTING_DEFAULTS.sources, lm_studio: false });
  expect(stored.server.preferences).toEqual({ ...PREFERENCE_DEFAULTS, text_size: 1.2 });
  expect(stored.models.get('guide')).toEqual({ pinned: true });
  expect(stored.upstreams).toEqual(GOOD.upstreams);
  expect(stored.lastUsed).toEqual(new Map([['other', 2]]));
});

it('takes any JSON object', () => {
  const keys = fc.constantFrom(...Object.keys(GOOD), '__proto__', 'x');
  fc.assert(
    fc.property(fc.dictionary(keys, fc.oneof(fc.jsonValue(), fc.constantFrom(GOOD))), (file) => {
      const { stored } = readStored(file, SETTING_DEFAULTS);
      expect(Object.keys(stored.server).sort()).toEqual(Object.keys(SETTING_DEFAULTS).sort());
    }),
  );
});
