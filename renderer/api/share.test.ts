import fc from 'fast-check';
import { expect, it } from 'vitest';
import { share } from './share.js';

const json = fc.json().map((text): unknown => JSON.parse(text));

it('gives what came after, and what was before where it is the same', () => {
  fc.assert(
    fc.property(json, json, (before, after) => {
      expect(share(before, after)).toEqual(after);
      const copy = structuredClone(before);
      expect(share(before, copy)).toEqual(before);
      if (typeof before === 'object' && before !== null) expect(share(before, copy)).toBe(before);
    }),
  );
});

it('keeps the entries of a list that did not change', () => {
  const before = {
    models: [
      { id: 'a', tags: ['x'] },
      { id: 'b', tags: [] },
    ],
    running: 0,
  };
  const after = {
    models: [
      { id: 'a', tags: ['x'] },
      { id: 'b', tags: ['y'] },
    ],
    running: 1,
  };
  const shared = share(before, after);
  expect(shared.models[0]).toBe(before.models[0]);
  expect(shared.models[1]).toEqual({ id: 'b', tags: ['y'] });
  expect(shared.models).not.toBe(before.models);
});
