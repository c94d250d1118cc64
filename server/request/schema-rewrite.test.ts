import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rewriteSchema } from './schema-rewrite.js';

const isValid = (schema: object, value: unknown) =>
  new Ajv2020({ strict: false }).compile(schema)(value);

const LIST = {
  type: 'object',
  properties: { kind: { enum: ['a', 'b'] }, next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } },
  required: ['kind', 'next'],
  additionalProperties: false,
};

describe('a schema that refers to the whole of itself', () => {
  it('refers to a definition instead, and stays as it is otherwise', () => {
    const next = { anyOf: [{ $ref: '#/$defs/root' }, { type: 'null' }] };
    const whole = { ...LIST, properties: { ...LIST.properties, next } };
    expect(rewriteSchema(LIST)).toEqual({ ...whole, $defs: { root: whole } });
  });

  it('keeps its definitions, whose names are not taken', () => {
    const schema = {
      ...{ type: 'array', items: { $ref: '#/$defs/root' } },
      $defs: { root: { type: 'object', properties: { all: { $ref: '#' } } } },
    };
    expect(rewriteSchema(schema)).toEqual({
      ...schema,
      $defs: {
        root: { type: 'object', properties: { all: { $ref: '#/$defs/root_' } } },
        root_: { type: 'array', items: { $ref: '#/$defs/root' } },
      },
    });
  });
});

describe('an allOf of one', () => {
  const part = { $ref: '#/$defs/a' };
  it.each<[object, object]>([
    [{ allOf: [part] }, part],
    [
      { title: 'T', description: 'D', default: 1, allOf: [part] },
      { title: 'T', description: 'D', default: 1, ...part },
    ],
    [
      { type: 'object', allOf: [part] },
      { type: 'object', ...part },
    ],
    [{ allOf: [{ type: 'string' }] }, { type: 'string' }],
    [
      { type: 'string', allOf: [{ minLength: 2 }] },
      { type: 'string', minLength: 2 },
    ],
    [{ allOf: [{ allOf: [part] }] }, part],
  ])('%j is the one itself', (schema, plain) => {
    const around = (inner: object) => ({ properties: { a: { items: inner } }, $defs: { a: {} } });
    expect(rewriteSchema(around(schema))).toEqual(around(plain));
    expect(rewriteSchema(schema as never)).toEqual(plain);
  });
});

it('what is taken is the same as before', () => {
  const json = fc.constantFrom<unknown>(null, 1, 2, 'a', 'bb', [], [1], {}, { a: 1 }, { a: 'a' });
  const { schema } = fc.letrec<{ schema: object }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom<object>({}, { type: 'string' }, { type: 'integer' }, { minLength: 2 }),
      fc.constantFrom<object>({ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }),
      fc.record({ items: fc.constant({ $ref: '#' }), type: fc.constant('array') }),
      fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
      fc.record({ allOf: fc.tuple(tie('schema')), type: fc.constantFrom('string', 'object') }),
      fc.record({ allOf: fc.tuple(tie('schema')), minLength: fc.constant(2) }),
      fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
      fc.record({ properties: fc.record({ a: tie('schema') }) }),
    ),
  }));
  const leaf = { type: 'string', description: 'A leaf.' };
  const whole = fc
    .record({ schema, a: schema })
    .map(({ schema: one, a }) => ({ ...one, $defs: { a: { anyOf: [leaf, a] }, b: leaf } }));
  fc.assert(
    fc.property(whole, json, (each, value) => {
      let before: unknown;
      try {
        before = isValid(each, value);
      } catch {
        // It goes round in a circle without looking at anything.
        return;
      }
      expect(isValid(rewriteSchema(each), value)).toBe(before);
    }),
  );
});

describe('what is left as it is', () => {
  it.each<[string, object]>([
    ['a schema with nothing to rewrite', { type: 'object', $defs: { a: {} }, x: '"$ref":"#"' }],
    ['a schema that is nothing but itself', { $ref: '#' }],
    ['definitions that are none', { $defs: [], items: { $ref: '#' } }],
    ['an allOf of several', { allOf: [{ $ref: '#/$defs/a' }, { properties: {} }] }],
    ['an allOf of one beside what asks for more', { properties: {}, allOf: [{ required: ['a'] }] }],
    ['an allOf of one of another type', { type: 'string', allOf: [{ type: 'object' }] }],
    ['an allOf of no schema', { allOf: [true] }],
  ])('%s', (_, schema) => {
    expect(rewriteSchema(schema as never)).toEqual(schema);
  });

  it('data, names of properties, and schemas with an id of their own', () => {
    const data = { $ref: '#', allOf: [{}] };
    const own = { $id: 'https://own.example', items: { $ref: '#' } };
    const schema = {
      ...{ const: data, enum: [data], default: data },
      properties: { $ref: { const: '#' }, allOf: { type: 'string' }, default: { $ref: '#' }, own },
    };
    const { $defs: _, ...rest } = rewriteSchema(schema);
    expect(rest).toEqual({
      ...schema,
      properties: { ...schema.properties, default: { $ref: '#/$defs/root' } },
    });
  });
});
