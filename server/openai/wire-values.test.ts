import { expect, it } from 'vitest';
import { wireFinishReason } from './wire-values.js';

it.each([
  ['eog', 'stop'],
  ['stop_string', 'stop'],
  ['length', 'length'],
  ['tool_calls', 'tool_calls'],
] as const)('%s is %s on the wire', (inside, wire) => {
  expect(wireFinishReason(inside)).toBe(wire);
});
