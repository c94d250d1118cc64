import { describe, expect, it } from 'vitest';
import { type Schema, schemaWork } from './schema-work.js';

const ref = (name: string) => ({ $ref: `#/$defs/${name}` });
const object = (properties: object) => ({ type: 'object', properties });
/** Not of one, which is written without. */
const all = (...parts: object[]) => ({ allOf: [...parts, { description: 'Words.' }] });

/** `depth` schemas, each of which has the next one inside of it. */
function nested(
  depth: number,
  wrap: (inner: Schema) => Schema,
  core: Schema = { type: 'null' },
): Schema {
  let schema = core;
  for (let i = 0; i < depth; i++) schema = wrap(schema);
  return schema;
}

/** Definitions d0, d1 …, each made with a reference to the next one. */
function chained(length: number, link: (next: object) => object): Schema {
  const names = Array.from({ length }, (_, i) => `d${i}`);
  const links = names.map((name, i) => [
    name,
    i + 1 < length ? link(ref(`d${i + 1}`)) : object({}),
  ]);
  return { ...ref('d0'), $defs: Object.fromEntries(links) };
}

describe('work without an end', () => {
  it.each<[string, Schema]>([
    ['itself', { ...all(ref('a')), $defs: { a: ref('a') } }],
    ['a property', { ...ref('n'), $defs: { n: object({ next: all(ref('n')) }) } }],
    [
      'a property of a property',
      { ...ref('n'), $defs: { n: object({ a: { items: object({ b: all(ref('n')) }) } }) } },
    ],
    [
      'an alternative',
      { ...ref('n'), $defs: { n: object({ next: all({ anyOf: [ref('n'), object({})] }) }) } },
    ],
    [
      'two of them',
      { ...ref('a'), $defs: { a: object({ b: all(ref('b')) }), b: object({ a: all(ref('a')) }) } },
    ],
    ['a reference to such a one', { ...all(ref('c')), $defs: { a: ref('a'), c: ref('a') } }],
    ['a reference alone', { ...ref('a'), $defs: { a: ref('b'), b: ref('a') } }],
    ['an alternative alone', { ...ref('a'), $defs: { a: { anyOf: [{}, ref('a')] } } }],
  ])('what leads back by %s', (_, schema) => {
    expect(schemaWork(schema)).toBe(Infinity);
  });

  it('an allOf within an allOf, deeper than anyone writes', () => {
    const link = (next: object) => object({ a: all(next) });
    expect(schemaWork(chained(30, link))).toBeLessThan(2000);
    expect(schemaWork(chained(1000, link))).toBe(Infinity);
    // As deep as a schema may be, so that the stack is too.
    const steep = (next: object) => object({ a: nested(60, (items) => ({ items }), all(next)) });
    expect(schemaWork(chained(500, steep))).toBe(Infinity);
  });
});

describe('work that doubles with each step', () => {
  it.each<[string, (depth: number) => Schema]>([
    [
      'the same type twice',
      (depth) => nested(depth, (a) => ({ type: ['object', 'object'], properties: { a } })),
    ],
    [
      'an allOf for two types',
      (depth) => nested(depth, (a) => ({ type: ['object', 'string'], ...all(object({ a })) })),
    ],
    [
      'two allOf of one',
      (depth) => chained(depth, (next) => object({ a: all(next), b: all(next) })),
    ],
  ])('%s', (_, make) => {
    const growth = schemaWork(make(14)) / schemaWork(make(13));
    expect(growth).toBeGreaterThan(1.8);
    expect(growth).toBeLessThan(2.2);
  });
});

describe('work that grows with the schema', () => {
  it.each<[string, (size: number) => Schema]>([
    ['recursion', () => ({ ...ref('n'), $defs: { n: object({ next: { anyOf: [ref('n')] } }) } })],
    ['nesting', (size) => nested(size, (a) => ({ type: ['object', 'null'], properties: { a } }))],
    ['lists', (size) => nested(size, (items) => ({ type: 'array', items }))],
    ['references', (size) => chained(size, (next) => object({ a: next, b: next }))],
    ['alternatives', (size) => nested(size, (one) => ({ oneOf: [one, { type: 'null' }] }))],
  ])('%s', (_, make) => {
    expect(schemaWork(make(20))).toBeLessThan(200);
  });

  it('what is no schema, and leads nowhere', () => {
    for (const schema of [
      { $ref: '#/$defs/nothing' },
      { $ref: 'https://elsewhere.example' },
      { allOf: 'x', properties: 5, anyOf: null },
      { type: 7, items: [true, null], prefixItems: 'x' },
      all(ref('nothing')),
    ]) {
      expect(schemaWork(schema as never)).toBeLessThan(10);
    }
  });
});
