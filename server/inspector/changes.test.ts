import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { InspectorState, KeptRequest, LiveRequest } from '../../protocol/inspector.js';
import { changesBetween } from './changes.js';
import { applyChanges } from './test-inspector.js';

const head = {
  ...{ request_id: 'req_1', client: 'curl', is_owner: false, route: '/v1/x', began_at: 1 },
};

const liveRow = fc.record<LiveRequest>({
  id: fc.constantFrom('a', 'b', 'c', 'd'),
  ...Object.fromEntries(Object.entries(head).map(([name, value]) => [name, fc.constant(value)])),
  model: fc.constantFrom(null, 'm'),
  stage: fc.constantFrom('reading', 'queued', 'running'),
  progress: fc.constantFrom(null, 0.5),
  ahead: fc.constantFrom(null, 0, 1),
  prompt_tokens: fc.nat(2),
  output_tokens: fc.nat(2),
  tokens_per_s: fc.nat(2),
  cancelled: fc.boolean(),
  inspected: fc.boolean(),
} as { [Field in keyof LiveRequest]: fc.Arbitrary<LiveRequest[Field]> });

const keptRow = (id: string): KeptRequest => ({
  ...{ id, ...head, model: null, status: 200, complete: true, finish_reason: null },
  ...{ error_code: null, prompt_tokens: 1, cached_tokens: 0, output_tokens: 1, total_ms: 1 },
  ...{ tokens_per_s: 0, replay_of: null },
});

const unique = { selector: ({ id }: { id: string }) => id, maxLength: 4 };

const anyState: fc.Arbitrary<InspectorState> = fc.record({
  enabled: fc.boolean(),
  keep: fc.integer({ min: 1, max: 3 }),
  bytes: fc.nat(3),
  max_bytes: fc.constant(64),
  live: fc.uniqueArray(liveRow, unique),
  kept: fc.subarray(['k', 'l', 'm', 'n'].map(keptRow)),
});

const byId = (rows: readonly { id: string }[]) => new Map(rows.map((row) => [row.id, row]));

it('who applies the changes has the new state', () => {
  fc.assert(
    fc.property(anyState, anyState, (before, now) => {
      const after = applyChanges(before, changesBetween(before, now));
      expect({ ...after, live: byId(after.live), kept: byId(after.kept) }).toEqual({
        ...now,
        live: byId(now.live),
        kept: byId(now.kept),
      });
    }),
  );
});

it('says nothing where there is nothing to say, and of a row only what is new', () => {
  fc.assert(
    fc.property(anyState, (state) => changesBetween(state, structuredClone(state)) === null),
  );
  const [state] = fc.sample(
    anyState.filter(({ live }) => live.length > 1),
    1,
  );
  if (!state) throw new TypeError('expected a state');
  const now = structuredClone(state);
  const [row] = now.live;
  if (!row) throw new TypeError('expected a row');
  row.output_tokens += 1;
  expect(changesBetween(state, now)).toEqual({
    type: 'changes',
    live: [{ id: row.id, output_tokens: row.output_tokens }],
  });
});
