/** The inspector's state as its stream tells it, first whole, then by changes. */
import {
  type InspectorEvent,
  type InspectorState,
  inspectorEventSchema,
  liveRequestSchema,
} from '../../../protocol/inspector.js';
import type { ApiError } from '../../api/error.js';
import { followEvents } from '../../api/follow-events.js';
import { INSPECTOR_EVENTS } from '../../api/inspector.js';
import { Store } from '../../shell/store.js';

export interface Inspection {
  /** Null until it has been told. */
  state: InspectorState | null;
  /** Why it is not told, or no longer. */
  trouble: ApiError | null;
}

export class InspectorStore extends Store<Inspection> {
  constructor() {
    super({ state: null, trouble: null });
  }

  /** Follows the stream until `signal` aborts. */
  follow(signal: AbortSignal): void {
    void followEvents(INSPECTOR_EVENTS, inspectorEventSchema, signal, {
      onOpen: () => this.update({ trouble: null }),
      onEvent: (event) => this.update({ state: applied(this.snapshot().state, event) }),
      onTrouble: (trouble) => this.update({ trouble }),
    });
  }

  /** What a change of the switch has answered. */
  set(state: InspectorState): void {
    this.update({ state });
  }
}

/** The state after an event. Changes before a whole state change nothing. */
export function applied(before: InspectorState | null, event: InspectorEvent) {
  if (event.type === 'state') {
    const { type: _, ...state } = event;
    return state;
  }
  if (before === null) return null;
  const { live = [], gone = [], kept = [], dropped = [] } = event;
  const rows = new Map(before.live.map((row) => [row.id, row]));
  for (const id of gone) rows.delete(id);
  for (const change of live) {
    const row = liveRequestSchema.safeParse({ ...rows.get(change.id), ...change });
    if (row.success) rows.set(change.id, row.data);
  }
  const left = new Set(dropped);
  return {
    ...before,
    enabled: event.enabled ?? before.enabled,
    keep: event.keep ?? before.keep,
    bytes: event.bytes ?? before.bytes,
    live: [...rows.values()],
    kept: [...before.kept, ...kept].filter(({ id }) => !left.has(id)),
  };
}
