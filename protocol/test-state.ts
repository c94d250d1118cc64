/** Values for tests of those who show the server's state. */
import type { ModelEntry, ServerState } from './models.js';
import { PREFERENCE_DEFAULTS } from './preferences.js';

/** A model of the person's own that is not loaded. */
export function testEntry(id: string, changes: Partial<ModelEntry> = {}): ModelEntry {
  return {
    ...{ id, object: 'model', created: 1, owned_by: 'pilotlight', name: id },
    ...{ status: 'unloaded', progress: null, reason: null, size_bytes: 1 },
    ...{ context_length: null, devices: null, kind: 'generative', built_in: false },
    ...{ source: 'models_dir', aliases: [], architecture: 'llama', parameters: 1 },
    ...{ quantization: null, trained_context_length: null, capabilities: ['chat'] },
    ...{
      license: null,
      pinned: false,
      reload_pending: false,
      memory_bytes: null,
      last_used_at: null,
    },
    ...{ running: 0, waiting: 0 },
    ...changes,
  };
}

/** A server that serves these models, the first as the current one, and does nothing. */
export function testState(
  models: ModelEntry[] = [],
  changes: Partial<ServerState> = {},
): ServerState {
  return {
    ...{ version: '0.1.0', url: 'http://127.0.0.1:7411', serving: true, models_dir: '/models' },
    ...{ current_model: models[0]?.id ?? null, models, running: 0, waiting: 0, requests: [] },
    memory: { used_bytes: 0, budget_bytes: 8 * 1024 ** 3 },
    ...{ downloads: [], backends: [], preferences: PREFERENCE_DEFAULTS },
    ...{ tool_changes: 0, notices: [] },
    ...changes,
  };
}
