/** What a model can do: as its engine found out once it has loaded it, before that as its file says. Pure. */
import type { ModelInfo } from '../protocol/engine-load.js';
import type { Capability } from '../protocol/models.js';
import type { LibraryModel } from './library/model.js';

/** @param info Null: it is not loaded, and a look at the words of its template has to do. */
export function capabilitiesOf(model: LibraryModel, info: ModelInfo | null): Capability[] {
  const { invalidReason, kind, template, projector } = model;
  if (invalidReason !== null) return [];
  if (kind === 'embedding') return ['embeddings'];
  if (kind === 'rerank') return ['rerank'];
  const all: [Capability, boolean][] = [
    ['chat', template !== null],
    ['tools', info?.supportsTools ?? template?.tools ?? false],
    ['reasoning', info?.supportsThinking ?? template?.reasoning ?? false],
    ['vision', info?.sees ?? projector !== null],
  ];
  return all.flatMap(([capability, has]) => (has ? [capability] : []));
}
