import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { EngineEvent } from './engine.js';
import { type PackedEvents, unpackEvents } from './packed-events.js';

const seq = fc.nat({ max: 2 ** 40 });
const content = fc.record({
  ...{ seq, index: fc.nat(), tokenId: fc.nat({ max: 2 ** 31 - 1 }) },
  text: fc.string({ minLength: 1, unit: 'grapheme' }),
});
const event = fc.oneof(
  content.map((fields): EngineEvent => ({ type: 'token', ...fields })),
  seq.map((one): EngineEvent => ({ type: 'accepted', seq: one, promptTokens: 3 })),
);

it('gives tokens of plain text with their deltas, among all other events in their order', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(content, event)), (steps) => {
      const packed = steps.flatMap(
        (step): PackedEvents =>
          'type' in step ? [step] : [step.seq, step.index, step.tokenId, step.text],
      );
      const events = steps.flatMap((step): EngineEvent[] =>
        'type' in step
          ? [step]
          : [
              { type: 'token', ...step },
              { type: 'delta', seq: step.seq, content: step.text, reasoning: '', toolCalls: [] },
            ],
      );
      expect(unpackEvents(packed)).toEqual(events);
    }),
  );
});

it.each<[PackedEvents]>([[[1]], [[1, 0, 5]], [['text']], [[1, 0, 'text', 5]]])(
  'refuses %j, which no engine makes',
  (packed) => {
    expect(() => unpackEvents(packed)).toThrow(TypeError);
  },
);
