import type { ModelEntry } from '../../protocol/models.js';

export const MODEL_SORTS = ['recent', 'name', 'size', 'memory'] as const;
export type ModelSort = (typeof MODEL_SORTS)[number];

const byName = (a: ModelEntry, b: ModelEntry) =>
  a.name.localeCompare(b.name, undefined, { numeric: true, sensitivity: 'base' }) ||
  (a.id < b.id ? -1 : 1);

const orders: Record<ModelSort, (a: ModelEntry, b: ModelEntry) => number> = {
  recent: (a, b) => (b.last_used_at ?? 0) - (a.last_used_at ?? 0) || byName(a, b),
  name: byName,
  size: (a, b) => b.size_bytes - a.size_bytes || byName(a, b),
  memory: (a, b) => (b.memory_bytes ?? 0) - (a.memory_bytes ?? 0) || byName(a, b),
};

/** The models in which every word of `query` is found, sorted. */
export function listModels(
  models: readonly ModelEntry[],
  query: string,
  sort: ModelSort,
): ModelEntry[] {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  return models
    .filter((model) => {
      const text = searchable(model);
      return wanted.every((word) => text.includes(word));
    })
    .sort(orders[sort]);
}

function searchable(model: ModelEntry): string {
  const { name, id, aliases, architecture, quantization, capabilities, license } = model;
  return [name, id, ...aliases, architecture, quantization ?? '', ...capabilities, license ?? '']
    .join('\n')
    .toLowerCase();
}
