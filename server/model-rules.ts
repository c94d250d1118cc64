/** What holds for each model and for all: the person's settings before the options with which the server was started. */
import path from 'node:path';
import type { ServerConfig } from '../protocol/config.js';
import type { LoadOptions } from '../protocol/engine-load.js';
import type { ModelSettings } from '../protocol/settings.js';
import type { LoadSettings, ModelRules, PoolLimits } from './engine/rules.js';
import type { Library } from './library/library.js';
import type { Settings } from './store/settings.js';

/** The names of the settings that a load depends on, with those of its options. */
const LOAD_OPTIONS = {
  context_length: 'contextLength',
  parallel: 'parallel',
  threads: 'threads',
  gpu_layers: 'gpuLayers',
  kv_type_k: 'kvTypeK',
  kv_type_v: 'kvTypeV',
  flash_attention: 'flashAttention',
  unified_kv: 'unifiedKv',
  speculation: 'speculation',
  rpc: 'rpc',
} as const satisfies Partial<Record<keyof ModelSettings, keyof LoadOptions>>;

export class ModelRuleBook {
  /** Of a load of which nothing is set: as this start was told. */
  readonly defaults: LoadSettings;

  constructor(
    config: ServerConfig,
    private readonly settings: Pick<Settings, 'values' | 'modelSettings'>,
    private readonly library: Pick<Library, 'find'>,
  ) {
    const { contextLength, parallel, threads, kvTypeK, kvTypeV, flashAttention } = config;
    const { unifiedKv, targetItlMs, gpuLayers, draftModel, speculation } = config;
    this.defaults = {
      ...{ contextLength, parallel, threads, kvTypeK, kvTypeV, flashAttention },
      ...{ unifiedKv, targetItlMs },
      gpuLayers: gpuLayers ?? -1,
      rpc: 'auto' as const,
      draftModelPath: draftModel === null ? '' : path.resolve(draftModel),
      speculation: speculation ?? (draftModel === null ? 'off' : 'draft'),
    };
  }

  limits(): PoolLimits {
    const { memory_budget_bytes, memory_wait } = this.settings.values;
    return { budgetBytes: memory_budget_bytes, waitMs: memory_wait * 1000 };
  }

  of(modelId: string): ModelRules {
    const settings = this.settings.modelSettings(modelId);
    const isPinned = settings.pinned ?? false;
    // Who pins a model wants it there, unless they have said for how long.
    const ttl = isPinned ? null : this.settings.values.idle_ttl;
    return {
      load: { ...this.defaults, ...this.loadSettings(settings) },
      isPinned,
      ttl: settings.ttl === undefined ? ttl : settings.ttl,
    };
  }

  /** The options of a load that these settings say something of. */
  loadSettings(settings: ModelSettings): Partial<LoadSettings> {
    const options = Object.entries(LOAD_OPTIONS).flatMap(([name, option]) => {
      const value = settings[name as keyof typeof LOAD_OPTIONS];
      return value === undefined ? [] : [[option, value] as const];
    });
    return { ...this.#draft(settings), ...Object.fromEntries(options) };
  }

  /** A draft model guesses unless it is said otherwise. One that is not there any more is left out. */
  #draft({ draft_model: id }: ModelSettings): Partial<LoadSettings> {
    const draft = id === undefined ? null : this.library.find(id);
    return draft === null ? {} : { draftModelPath: draft.path, speculation: 'draft' };
  }
}
