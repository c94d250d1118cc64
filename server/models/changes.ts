/** What has changed of models and downloads from one state to the next, as events. Pure. */
import type { Download } from '../../protocol/downloads.js';
import type { ModelEvent } from '../../protocol/model-control.js';
import type { ModelEntry, ServerState } from '../../protocol/models.js';

export type ModelsState = Pick<ServerState, 'current_model' | 'models' | 'downloads'>;

export function snapshot({ current_model, models, downloads }: ModelsState): ModelEvent {
  return { type: 'snapshot', current_model, models, downloads };
}

/** In an order in which they can be applied one after the other; the places in the lists are not told. */
export function changes(before: ModelsState, after: ModelsState): ModelEvent[] {
  const events: ModelEvent[] = [];
  const models = byId(before.models);
  for (const model of after.models) {
    const old = models.get(model.id);
    models.delete(model.id);
    if (old === undefined) events.push({ type: 'model-added', model });
    else if (!isSame(old, model)) events.push(modelChange(old, model));
  }
  for (const id of models.keys()) events.push({ type: 'model-removed', id });
  if (before.current_model !== after.current_model) {
    events.push({ type: 'current-model', id: after.current_model });
  }
  const downloads = byId(before.downloads);
  for (const download of after.downloads) {
    const old = downloads.get(download.id);
    downloads.delete(download.id);
    if (old === undefined || !isSame(old, download)) events.push(downloadChange(old, download));
  }
  for (const id of downloads.keys()) events.push({ type: 'download-removed', id });
  return events;
}

function modelChange(old: ModelEntry, model: ModelEntry): ModelEvent {
  const { id, status, progress, reason } = model;
  if (status === 'loading' && isSame({ ...old, progress, reason }, model)) {
    return { type: 'load-progress', id, progress, reason };
  }
  if (status !== old.status) {
    if (status === 'loaded') return { type: 'loaded', model };
    if (status === 'failed' || status === 'crashed') return { type: 'failed', model };
    if (status === 'unloaded') return { type: 'unloaded', model };
  }
  return { type: 'model-changed', model };
}

function downloadChange(old: Download | undefined, download: Download): ModelEvent {
  const { id, received_bytes, bytes_per_second, seconds_left } = download;
  const progress = { id, received_bytes, bytes_per_second, seconds_left };
  return old !== undefined && isSame({ ...old, ...progress }, download)
    ? { type: 'download-progress', ...progress }
    : { type: 'download-changed', download };
}

function byId<T extends { id: string }>(list: readonly T[]): Map<string, T> {
  return new Map(list.map((each) => [each.id, each]));
}

/** Both are made by the same code, so that their keys come in the same order. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
