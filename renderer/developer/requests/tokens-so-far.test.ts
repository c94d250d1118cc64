import { expect, it } from 'vitest';
import { tokensSoFar } from './tokens-so-far.js';

it('adds up the tokens of each moment, and passes over bytes alone', () => {
  const timeline: [number, number, number][] = [
    [5, 1, 0],
    [7, 0, 300],
    [9, 2, 100],
  ];
  expect(tokensSoFar(timeline)).toEqual([
    { ms: 5, tokens: 1 },
    { ms: 9, tokens: 3 },
  ]);
  expect(tokensSoFar([[2, 0, 157]])).toEqual([]);
});
