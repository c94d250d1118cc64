/** A model as the API and the window show it: what its file says and what its engine does. */
import type { ModelEntry } from '../protocol/models.js';
import type { EnginePool } from './engine/pool.js';
import type { LibraryModel } from './library/model.js';

export function modelEntry(model: LibraryModel, pool: EnginePool): ModelEntry {
  const engine = pool.status(model);
  const invalid = model.invalidReason !== null;
  return {
    id: model.id,
    object: 'model',
    created: model.created,
    owned_by: 'pilotlight',
    name: model.name,
    status: invalid ? 'invalid' : engine.status,
    progress: invalid ? null : engine.progress,
    reason: model.invalidReason ?? engine.reason,
    size_bytes: model.sizeBytes,
    context_length: invalid ? null : engine.contextLength,
    devices: invalid ? null : engine.devices,
    kind: model.kind,
    built_in: model.builtIn,
  };
}
