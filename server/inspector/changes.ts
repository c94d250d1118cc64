/** What has changed between two states of the inspector, for who has the first one. Pure. */
import type { InspectorEvent, InspectorState, LiveRequest } from '../../protocol/inspector.js';

type Changes = Extract<InspectorEvent, { type: 'changes' }>;

/** Null: nothing has. */
export function changesBetween(before: InspectorState, now: InspectorState): Changes | null {
  const changes: Changes = { type: 'changes' };
  if (now.enabled !== before.enabled) changes.enabled = now.enabled;
  if (now.keep !== before.keep) changes.keep = now.keep;
  if (now.bytes !== before.bytes) changes.bytes = now.bytes;

  const known = new Map(before.live.map((row) => [row.id, row]));
  const live = now.live.flatMap((row) => changesOfRow(known.get(row.id), row) ?? []);
  if (live.length > 0) changes.live = live;
  const gone = missingIn(now.live, before.live);
  if (gone.length > 0) changes.gone = gone;

  const kept = new Set(missingIn(before.kept, now.kept));
  if (kept.size > 0) changes.kept = now.kept.filter(({ id }) => kept.has(id));
  const dropped = missingIn(now.kept, before.kept);
  if (dropped.length > 0) changes.dropped = dropped;
  return Object.keys(changes).length > 1 ? changes : null;
}

type RowChanges = NonNullable<Changes['live']>[number];

/** A new row is whole. */
function changesOfRow(before: LiveRequest | undefined, now: LiveRequest): RowChanges | null {
  if (!before) return now;
  const fields = Object.entries(now).filter(
    ([name, value]) => before[name as keyof LiveRequest] !== value,
  );
  return fields.length === 0 ? null : { ...Object.fromEntries(fields), id: now.id };
}

/** Ids of the rows that the other list has not. */
function missingIn(list: readonly { id: string }[], rows: readonly { id: string }[]): string[] {
  const ids = new Set(list.map(({ id }) => id));
  return rows.map(({ id }) => id).filter((id) => !ids.has(id));
}
