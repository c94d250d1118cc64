import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pathTo } from '../chats/tree.js';
import { type SourceNode, textOfParts, textPart, timeOf, titleOf, turnsOf } from './imported.js';

/** Any graph: parents may be missing, later, or the node itself. */
const graph: fc.Arbitrary<SourceNode[]> = fc.integer({ min: 0, max: 30 }).chain((length) =>
  fc.tuple(
    ...Array.from({ length }, (_, index) =>
      fc.record({
        id: fc.constant(`n${index}`),
        parent: fc.option(fc.integer({ min: 0, max: 31 }).map((at) => `n${at}`)),
        role: fc.constantFrom('user' as const, 'answer' as const, 'skip' as const),
        at: fc.option(fc.integer({ min: 1, max: 1e12 })),
        parts: fc.constant(null).map(() => [textPart(`text ${index}`)]),
        model: fc.option(fc.constant('m')),
      }),
    ),
  ),
);

/** Each node hangs on one before it, or on none. */
const tree = graph.map((nodes) =>
  nodes.map((node, index) => ({
    ...node,
    parent: index === 0 || node.parent === null ? null : `n${Number(node.parent.slice(1)) % index}`,
  })),
);

describe('messages of another program', () => {
  test('are turns: each follows one before it, and questions and answers alternate', () => {
    fc.assert(
      fc.property(graph, fc.option(fc.constantFrom('n0', 'n5', 'n99')), (nodes, current) => {
        const { messages, leafId } = turnsOf(nodes, current, 1);
        const roles = new Map<string | null, string>([[null, 'assistant']]);
        for (const message of messages) {
          const before = roles.get(message.parent_id);
          expect(before).toBeDefined();
          expect(message.role).not.toBe(before);
          expect(roles.has(message.id)).toBe(false);
          roles.set(message.id, message.role);
        }
        expect(leafId === null).toBe(messages.length === 0);
        if (leafId !== null) expect(pathTo(messages, leafId).at(-1)?.id).toBe(leafId);
      }),
    );
  });

  test('lose no word', () => {
    fc.assert(
      fc.property(tree, (nodes) => {
        const { messages } = turnsOf(nodes, null, 1);
        const told = messages.map((message) =>
          message.role === 'user' ? message.text : textOfParts(message.parts),
        );
        for (const node of nodes) {
          if (node.role === 'skip') continue;
          const text = textOfParts(node.parts);
          expect(told.some((each) => each.split('\n\n').includes(text))).toBe(true);
        }
      }),
    );
  });
});

test('titles are one line of a bounded length', () => {
  expect(titleOf('  a\n b\t c ')).toBe('a b c');
  expect(Array.from(titleOf('🙂'.repeat(500))).length).toBe(200);
});

test('times are read in seconds and in milliseconds', () => {
  expect(timeOf(1_700_000_000.25)).toBe(1_700_000_000_250);
  expect(timeOf(1_700_000_000_250)).toBe(1_700_000_000_250);
  expect([timeOf(null), timeOf(undefined), timeOf(-1), timeOf(Number.NaN)]).toEqual([
    null,
    null,
    null,
    null,
  ]);
});
