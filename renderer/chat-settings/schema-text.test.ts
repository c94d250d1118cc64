import fc from 'fast-check';
import { expect, test } from 'vitest';
import { numberIn } from './number-field.js';
import { EXAMPLE_SCHEMA, schemaProblem } from './schema-text.js';

test('a schema is a JSON object, and nothing is none', () => {
  expect(schemaProblem('')).toBeNull();
  expect(schemaProblem(' \n')).toBeNull();
  expect(schemaProblem(EXAMPLE_SCHEMA)).toBeNull();
  for (const text of ['[]', '5', 'null', '"a"'])
    expect(schemaProblem(text)).toEqual({ kind: 'object' });
});

test('a mistake is told with its line', () => {
  expect(schemaProblem('{\n  "type": "object",\n  oops\n}')).toEqual({ kind: 'json', line: 3 });
  expect(schemaProblem('{\n  "type":')).toMatchObject({ kind: 'json' });
});

test('any text is either a schema or has a problem', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const problem = schemaProblem(text);
      if (problem?.kind === 'json') expect(problem.line).toBeGreaterThan(0);
      else expect(() => text.trim() === '' || JSON.parse(text)).not.toThrow();
    }),
  );
});

test('numbers are read with a point or a comma, within their range', () => {
  const range = { whole: false, min: 0, max: 2 };
  expect(numberIn('0,7', range)).toBe(0.7);
  expect(numberIn(' 2 ', range)).toBe(2);
  expect(numberIn('', range)).toBeNull();
  for (const text of ['2.1', '-1', 'a', '1e999', 'NaN'])
    expect(numberIn(text, range)).toBeUndefined();
  expect(numberIn('1.5', { whole: true, min: 0, max: 9 })).toBeUndefined();
});
