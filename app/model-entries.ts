/** Models in the tray's menu. */
import type { ModelEntry, ServerState } from '../protocol/models.js';
import { item, type MenuEntry, submenu } from './menu-entry.js';
import { loading } from './server-status.js';
import { say } from './words.js';

/** Models that are listed at once; more than that is looked for, not seen. */
export const MODELS_LISTED = 12;
/** Entries of the submenu with the rest: somebody may have pointed the app at a folder of thousands. */
const MORE_LISTED = 100;

/** Each model once, the current one first, then by their last use; those that cannot be chosen come last. */
export function modelEntries(state: ServerState): MenuEntry[] {
  const models = [...state.models].sort(
    (a, b) => rank(a, state) - rank(b, state) || (b.last_used_at ?? 0) - (a.last_used_at ?? 0),
  );
  const entries = models.map((model) => modelEntry(model, model.id === state.current_model));
  // A submenu with one entry would take the place of that entry.
  if (entries.length <= MODELS_LISTED + 1) return entries;
  const rest = entries.slice(MODELS_LISTED);
  return [
    ...entries.slice(0, MODELS_LISTED),
    submenu('more-models', say('more_models', { n: rest.length }), [
      ...rest.slice(0, MORE_LISTED),
      ...(rest.length > MORE_LISTED
        ? [item('all-models', say('all_models'), { type: 'open' })]
        : []),
    ]),
  ];
}

/** What can leave memory, or stop being loaded: an entry for the only one, a submenu for several. */
export function unloadEntries(state: ServerState): MenuEntry[] {
  const loaded = state.models.filter(
    // What another server has in memory is its own business.
    ({ status, source }) => (status === 'loaded' || status === 'loading') && source !== 'upstream',
  );
  const entry = (model: ModelEntry, text: string) =>
    item(
      `unload:${model.id}`,
      text,
      { type: 'unload-model', model: model.id },
      { note: unloadNote(model) },
    );
  const [only] = loaded;
  if (only === undefined) return [];
  if (loaded.length === 1) return [entry(only, say('unload_one', { model: only.name }))];
  return [
    submenu(
      'unload',
      say('unload'),
      loaded.map((model) => entry(model, model.name)),
    ),
  ];
}

/** "1.2 GB", as systems and hubs count: a thousand megabytes to the gigabyte. */
export function memory(bytes: number): string {
  const gigabytes = bytes / 1e9;
  if (gigabytes >= 99.95) return `${Math.round(gigabytes)} GB`;
  if (gigabytes >= 0.9995) return `${gigabytes.toFixed(1)} GB`;
  return `${Math.max(1, Math.round(bytes / 1e6))} MB`;
}

function rank(model: ModelEntry, state: ServerState): number {
  if (model.id === state.current_model) return 0;
  return canBeChosen(model) ? 1 : 2;
}

function canBeChosen({ status, kind }: ModelEntry): boolean {
  return status !== 'invalid' && kind === 'generative';
}

function modelEntry(model: ModelEntry, current: boolean): MenuEntry {
  return item(
    `model:${model.id}`,
    model.name,
    { type: 'select-model', model: model.id },
    { enabled: canBeChosen(model), checked: current, note: modelNote(model) },
  );
}

function modelNote(model: ModelEntry): string | null {
  switch (model.status) {
    case 'loading':
      return loading(model);
    case 'unloading':
      return say('unloading');
    case 'invalid':
    case 'failed':
    case 'crashed':
      return model.reason ?? say('not_loadable');
    case 'loaded':
    case 'unloaded':
      return join([
        kindNote(model.kind),
        model.source === 'upstream' ? say('on_server', { server: model.owned_by }) : null,
        memoryNote(model),
        model.pinned ? say('pinned') : null,
      ]);
  }
}

/** What a model that cannot answer a chat is for. */
function kindNote(kind: ModelEntry['kind']): string | null {
  if (kind === 'generative') return null;
  return say(kind === 'embedding' ? 'for_embeddings' : 'for_ranking');
}

function unloadNote(model: ModelEntry): string | null {
  const isBusy = model.running + model.waiting > 0;
  return join([
    model.status === 'loading' ? loading(model) : memoryNote(model),
    model.pinned ? say('pinned') : null,
    isBusy ? say('once_answered') : null,
  ]);
}

function memoryNote({ memory_bytes }: ModelEntry): string | null {
  return memory_bytes === null ? null : memory(memory_bytes);
}

function join(notes: readonly (string | null)[]): string | null {
  return notes.filter((note) => note !== null).join(', ') || null;
}
