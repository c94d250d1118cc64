import { describe, expect, it } from 'vitest';
import type { InspectorState, KeptRequest, LiveRequest } from '../../../protocol/inspector.js';
import { applied } from './inspector-store.js';

const head = (id: string) => ({
  ...{ id, request_id: `r-${id}`, client: 'curl', is_owner: false, route: '/v1/models' },
  ...{ model: 'guide', began_at: 0 },
});
const live = (id: string, changes: Partial<LiveRequest> = {}): LiveRequest => ({
  ...head(id),
  ...{ stage: 'running', progress: null, ahead: null, prompt_tokens: 1, output_tokens: 0 },
  ...{ tokens_per_s: 0, cancelled: false, inspected: true },
  ...changes,
});
const kept = (id: string): KeptRequest => ({
  ...head(id),
  ...{ status: 200, complete: true, finish_reason: 'eog', error_code: null, prompt_tokens: 1 },
  ...{ cached_tokens: 0, output_tokens: 2, total_ms: 3, tokens_per_s: 4, replay_of: null },
});
const state = (changes: Partial<InspectorState> = {}): InspectorState => ({
  ...{ enabled: true, keep: 50, bytes: 0, max_bytes: 1, live: [], kept: [] },
  ...changes,
});

describe('the state of the inspector', () => {
  it('begins with a whole one', () => {
    expect(applied(null, { type: 'changes', bytes: 3 })).toBeNull();
    expect(applied(null, { type: 'state', ...state() })).toEqual(state());
  });

  it('takes what has changed of a request, new ones whole, and lets go of those that have ended', () => {
    const before = state({ live: [live('a'), live('b')] });
    const after = applied(before, {
      ...{ type: 'changes', gone: ['a'], kept: [kept('a')], bytes: 9 },
      live: [{ id: 'b', output_tokens: 5 }, live('c')],
    });
    expect(after).toEqual(
      state({ live: [live('b', { output_tokens: 5 }), live('c')], kept: [kept('a')], bytes: 9 }),
    );
    expect(applied(after, { type: 'changes', dropped: ['a'], enabled: false })).toMatchObject({
      ...{ kept: [], enabled: false },
    });
  });

  it('passes over a change of what it does not know', () => {
    const after = applied(state(), { type: 'changes', live: [{ id: 'x', output_tokens: 1 }] });
    expect(after?.live).toEqual([]);
  });
});
