/** A model as the API and the window show it: what its file says and what its engine does. */
import type { ModelEntry } from '../protocol/models.js';
import { capabilitiesOf } from './capabilities.js';
import type { EnginePool } from './engine/pool.js';
import type { LibraryModel } from './library/model.js';
import type { Services } from './services.js';

export function modelEntry(model: LibraryModel, pool: EnginePool): ModelEntry {
  const engine = pool.status(model);
  const invalid = model.invalidReason !== null;
  return {
    ...fileEntry(model),
    status: invalid ? 'invalid' : engine.status,
    progress: invalid ? null : engine.progress,
    reason: model.invalidReason ?? engine.reason,
    context_length: invalid ? null : engine.contextLength,
    devices: invalid ? null : engine.devices,
    capabilities: capabilitiesOf(model, pool.info(model)),
    pinned: engine.isPinned,
    reload_pending: engine.isStale,
    memory_bytes: invalid ? null : engine.memoryBytes,
    last_used_at: engine.lastUsedAt,
    running: engine.running,
    waiting: engine.waiting,
  };
}

/** What its file says, without any engine. */
export function fileEntry(model: LibraryModel) {
  return {
    id: model.id,
    object: 'model' as const,
    created: model.created,
    owned_by: 'pilotlight',
    name: model.name,
    reason: model.invalidReason,
    size_bytes: model.sizeBytes,
    kind: model.kind,
    built_in: model.builtIn,
    source: model.source,
    aliases: [...model.aliases],
    architecture: model.architecture,
    parameters: model.parameters > 0 ? model.parameters : null,
    quantization: model.quantization,
    trained_context_length: model.trainedContextLength,
    capabilities: capabilitiesOf(model, null),
    license: model.license,
  };
}

/** All that there are: those of this machine, then those of upstreams. */
export function modelEntries({
  library,
  pool,
  upstreams,
}: Pick<Services, 'library' | 'pool' | 'upstreams'>): ModelEntry[] {
  return [...library.models().map((model) => modelEntry(model, pool)), ...upstreams.entries()];
}
