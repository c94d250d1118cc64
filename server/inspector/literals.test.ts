import { execFileSync } from 'node:child_process';
import vm from 'node:vm';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { depthOf, JAVASCRIPT_WORDS, JSON_WORDS, literal, PYTHON_WORDS } from './literals.js';
import { anyBody, hasPython } from './test-bodies.js';

it('JSON is the same value', () => {
  fc.assert(
    fc.property(anyBody, (value) => {
      expect(JSON.parse(literal(value, JSON_WORDS))).toEqual(value);
    }),
  );
});

it('JavaScript makes the same value of it', () => {
  fc.assert(
    fc.property(anyBody, (value) => {
      const made = vm.runInNewContext(`JSON.stringify(${literal(value, JAVASCRIPT_WORDS)})`);
      expect(made).toBe(JSON.stringify(value));
    }),
  );
});

it.runIf(hasPython)('Python makes the same value of it', () => {
  const values = fc.sample(anyBody, 300);
  const program = `import json\nprint(json.dumps([\n${values
    .map((value) => `${literal(value, PYTHON_WORDS)},`)
    .join('\n')}\n]))`;
  const said = execFileSync('python3', ['-'], { input: program, encoding: 'utf8' });
  expect(JSON.parse(said)).toEqual(values);
});

it('lays values out for people, and numbers in one line', () => {
  const value = { a: [1, 2, 3], b: [{ c: null }, []], d: true };
  expect(literal(value, PYTHON_WORDS)).toBe(`{
  "a": [1,2,3],
  "b": [
    {
      "c": None
    },
    []
  ],
  "d": True
}`);
});

it('knows how deep a value is', () => {
  expect([1, 'a', null, [], {}, [[]], { a: [{}], b: 1 }].map(depthOf)).toEqual([
    ...[0, 0, 0, 1, 1, 2, 3],
  ]);
});
