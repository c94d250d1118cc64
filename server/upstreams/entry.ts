/** A model of an upstream as the list of models shows it. */
import type { ModelEntry, ModelStatus } from '../../protocol/models.js';
import type { UpstreamOffer } from './upstreams.js';

export function offerEntry(
  { id, aliases, candidates }: UpstreamOffer,
  running: number,
  lastUsedAt: number | null,
): ModelEntry {
  const [first] = candidates;
  if (first === undefined) throw new TypeError('an offer without anybody who has it');
  const { isPassedOn: _, ...model } = first.model;
  const status = statusOf({ candidates });
  return {
    ...model,
    id,
    object: 'model',
    owned_by: first.source.settings.name,
    status,
    progress: null,
    reason: status === 'failed' ? reasonOf({ candidates }) : null,
    devices: null,
    built_in: false,
    source: 'upstream',
    aliases: [...aliases],
    pinned: false,
    memory_bytes: null,
    last_used_at: lastUsedAt,
    reload_pending: false,
    running,
    waiting: 0,
  };
}

/** It can be used as long as one of those who have it is well. */
function statusOf({ candidates }: Pick<UpstreamOffer, 'candidates'>): ModelStatus {
  const states = candidates.map(({ source }) => source.health.report.health);
  if (states.includes('healthy')) return 'loaded';
  return states.includes('unknown') ? 'unloaded' : 'failed';
}

function reasonOf({ candidates }: Pick<UpstreamOffer, 'candidates'>): string {
  return candidates
    .map(({ source }) => `${source.settings.name}: ${source.health.report.reason ?? ''}`)
    .join(' ');
}
