import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leafWithout, type Node, newestLeaf, pathTo, subtreeOf } from './tree.js';

/** Each message follows one that was made before it, or begins the chat. */
const trees = fc.array(fc.nat(), { minLength: 1, maxLength: 40 }).map((choices): Node[] =>
  choices.map((choice, i) => {
    const parent = (choice % (i + 1)) - 1;
    return { id: `m${i}`, parent_id: parent < 0 ? null : `m${parent}` };
  }),
);
const treesWithOne = trees.chain((tree) => fc.tuple(fc.constant(tree), fc.constantFrom(...tree)));

describe('a path', () => {
  it('goes from the first message to the one that is meant, step by step', () => {
    fc.assert(
      fc.property(treesWithOne, ([tree, node]) => {
        const path = pathTo(tree, node.id);
        expect(path.at(-1)).toBe(node);
        path.forEach((each, i) => {
          expect(each.parent_id).toBe(path[i - 1]?.id ?? null);
        });
      }),
    );
  });

  it('is empty where a message is missing, or they follow each other in a circle', () => {
    expect(pathTo([{ id: 'a', parent_id: 'gone' }], 'a')).toEqual([]);
    expect(pathTo([{ id: 'a', parent_id: null }], null)).toEqual([]);
    const circle = [
      { id: 'a', parent_id: 'b' },
      { id: 'b', parent_id: 'a' },
    ];
    expect(pathTo(circle, 'a')).toEqual([]);
  });
});

describe('a branch', () => {
  it('has exactly the messages whose path leads through its first one', () => {
    fc.assert(
      fc.property(treesWithOne, ([tree, node]) => {
        const through = tree.filter(({ id }) => pathTo(tree, id).includes(node));
        expect(subtreeOf(tree, node.id)).toEqual(new Set(through.map(({ id }) => id)));
      }),
    );
  });

  it('ends in a message within it that nothing follows', () => {
    fc.assert(
      fc.property(treesWithOne, ([tree, node]) => {
        const leaf = newestLeaf(tree, node.id);
        expect(subtreeOf(tree, node.id).has(leaf)).toBe(true);
        expect(tree.some(({ parent_id }) => parent_id === leaf)).toBe(false);
      }),
    );
  });

  it('leaves another one, or what it followed, when it goes', () => {
    fc.assert(
      fc.property(treesWithOne, ([tree, node]) => {
        const gone = subtreeOf(tree, node.id);
        const left = tree.filter(({ id }) => !gone.has(id));
        const leaf = leafWithout(left, node);
        if (leaf === null) {
          expect(left.some(({ parent_id }) => parent_id === null)).toBe(false);
          return;
        }
        expect(gone.has(leaf)).toBe(false);
        const path = pathTo(left, leaf).map(({ id }) => id);
        if (node.parent_id !== null) expect(path).toContain(node.parent_id);
        expect(left.some(({ parent_id }) => parent_id === leaf)).toBe(false);
      }),
    );
  });
});
