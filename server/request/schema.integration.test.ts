// Schemas that refer to each other and to themselves in all ways, with a real engine: it answers or refuses, and lives.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { testServers, user } from '../test-server.js';

const start = testServers();

const { schema } = fc.letrec<{ schema: object }>((tie) => {
  const some = fc.array(tie('schema'), { minLength: 1, maxLength: 3 });
  const properties = fc.record({ a: tie('schema'), b: tie('schema') }, { requiredKeys: [] });
  const types = fc.subarray(['object', 'string', 'array', 'null', 'object'], { minLength: 1 });
  return {
    schema: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      fc.constantFrom<object>({}, { type: 'string' }, { enum: ['x', 1] }, { required: ['a'] }),
      fc.constantFrom('#', '#/$defs/a', '#/$defs/b', '#/properties/a').map(($ref) => ({ $ref })),
      fc.record({ allOf: some, description: fc.constant('x') }, { requiredKeys: ['allOf'] }),
      fc.record({ anyOf: some }),
      fc.record({ type: fc.constant('object'), properties }),
      fc.record({ type: types, properties, allOf: some }, { requiredKeys: ['type'] }),
      fc.record({ items: tie('schema'), additionalProperties: tie('schema') }),
    ),
  };
});

const whole = fc
  .record({ one: schema, a: schema, b: schema })
  .map(({ one, ...$defs }) => ({ ...one, $defs }));

it('is refused or enforced, and no engine dies', async () => {
  const test = await start({ models: ['toolcall'] });
  const body = { messages: [user('Hi.')], max_tokens: 1 };
  await fc.assert(
    fc.asyncProperty(whole, async (value) => {
      const json_schema = { name: 'x', schema: value };
      const tool = { type: 'function', function: { name: 'f', parameters: value } };
      for (const more of [
        { response_format: { type: 'json_schema', json_schema } },
        { tools: [tool], tool_choice: 'required' },
      ]) {
        const { status } = await test.chat({ ...body, ...more });
        expect([200, 400]).toContain(status);
      }
    }),
    { numRuns: 150 },
  );
  expect(test.engines).toHaveLength(1);
});
