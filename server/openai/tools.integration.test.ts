// A real server, engine and socket, a model that is wired to call a tool; the official client.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { AFTER_TOOL_SENTENCE, TOOL, TOOL_CALL } from '../../scripts/test-models/scripts.js';
import { chunksOf, contentOf, failure, testServers, user } from '../test-server.js';

const start = testServers();
const TOOLS = [{ type: 'function' as const, function: TOOL }];
const request = {
  model: 'toolcall',
  messages: [user('What is the weather in Rome?')],
  tools: TOOLS,
};

describe('a model that calls a tool', () => {
  it('knows it by a name as long as agents make them', async () => {
    const test = await start({ models: ['toolcall'] });
    const name = `mcp__${'server_'.repeat(17)}get`;
    const tools = [{ type: 'function', function: { name } }];
    const { choices } = await test.answer({
      ...{ ...request, tools, tool_choice: 'required', max_tokens: 200 },
    });
    expect(choices[0]?.message.tool_calls?.[0]?.function.name).toBe(name);
  });

  it('is not asked for one that cannot be used: the refusal has its place', async () => {
    const test = await start({ models: ['toolcall'] });
    const bad = { type: 'object', properties: { a: { type: 'string', pattern: '^a{2,1}$' } } };
    const broken = { type: 'function', function: { name: 'broken', parameters: bad } };
    const response_format = { type: 'json_schema', json_schema: { name: 'x', schema: {} } };
    for (const more of [{}, { stream: true }, { response_format }]) {
      const told = await failure(
        await test.chat({ ...request, ...more, tools: [...TOOLS, broken] }),
      );
      expect(told).toMatchObject({ status: 400, param: 'tools[1]', code: 'invalid_tool' });
    }
  });

  it('is needed where a call is required: the refusal is of tool_choice', async () => {
    const test = await start({ models: ['scripted'] });
    for (const stream of [false, true]) {
      const body = { ...request, model: 'scripted', tool_choice: 'required', stream };
      expect(await failure(await test.chat(body))).toMatchObject({
        ...{ status: 400, param: 'tool_choice', code: 'invalid_tool_choice' },
      });
    }
  });

  it('is needed for tools at all, unless they may not be called', async () => {
    const test = await start({ models: ['scripted'] });
    const body = { ...request, model: 'scripted', max_tokens: 8 };
    for (const more of [{}, { stream: true }, { tool_choice: 'auto' }]) {
      const told = await failure(await test.chat({ ...body, ...more }));
      expect(told).toMatchObject({ status: 400, param: 'tools', code: 'invalid_tool' });
      expect(told.message).toContain('does not know tools');
    }
    const { choices } = await test.answer({ ...body, tool_choice: 'none' });
    expect(choices[0]?.message.content).not.toBe('');
  });

  it('B17, B18, B20, B25, B26: tells the call in pieces, with one id, and ends with tool_calls', async () => {
    const test = await start({ models: ['toolcall'] });
    const chunks = chunksOf(await test.streamed(request));
    const pieces = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
    expect(pieces[0]).toMatchObject({ index: 0, type: 'function' });
    expect(pieces[0]?.id).toMatch(/.+/);
    expect(pieces[0]?.function.name).toBe(TOOL_CALL.name);
    for (const piece of pieces.slice(1)) {
      expect(Object.keys(piece)).toEqual(['index', 'function']);
      expect(piece.function.arguments).toBeTypeOf('string');
    }
    const text = pieces.map((piece) => piece.function.arguments).join('');
    expect(JSON.parse(text)).toEqual(TOOL_CALL.arguments);
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('tool_calls');
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  });

  it('is answered by the tool, through the official helper', async () => {
    const { client } = await start({ models: ['toolcall'] });
    const asked: unknown[] = [];
    const runner = client.chat.completions.runTools(
      {
        ...request,
        tools: [
          {
            type: 'function' as const,
            function: {
              ...TOOLS[0]?.function,
              parse: JSON.parse,
              function: (given: unknown) => {
                asked.push(given);
                return 'Sunny.';
              },
            } as never,
          },
        ],
      },
      // The model is wired to call again and again.
      { maxChatCompletions: 2 },
    );
    await runner.done();
    expect(asked[0]).toEqual(TOOL_CALL.arguments);
    const roles = runner.messages.map(({ role }) => role);
    expect(roles.slice(0, 4)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  });

  it('B28: has log probabilities beside its calls', async () => {
    const test = await start({ models: ['toolcall'] });
    const likely = { ...request, logprobs: true, top_logprobs: 2 };
    const whole = await test.answer(likely);
    const count = whole.choices[0]?.logprobs?.content.length;
    expect(count).toBe(whole.usage.completion_tokens);
    const streamed = chunksOf(await test.streamed(likely));
    expect(streamed.flatMap(({ choices }) => choices[0]?.logprobs?.content ?? [])).toHaveLength(
      count ?? -1,
    );
  });

  it('B24: gives a call without arguments an empty object, streamed or not', async () => {
    const test = await start({ models: ['toolcall'] });
    for (const parameters of [undefined, { type: 'object', properties: {} }]) {
      const forced = {
        ...request,
        tools: [{ type: 'function', function: { name: 'clock', parameters } }],
        tool_choice: 'required',
        parallel_tool_calls: false,
      };
      const { choices } = await test.answer(forced);
      const calls = choices[0]?.message.tool_calls ?? [];
      const pieces = chunksOf(await test.streamed(forced)).flatMap(
        (chunk) => chunk.choices[0]?.delta.tool_calls ?? [],
      );
      for (const told of [calls, pieces]) {
        expect(JSON.parse(told.map((each) => each.function.arguments).join(''))).toEqual({});
      }
    }
  });

  it('B26: takes its own call back with the answer, and refuses a call without an id', async () => {
    const test = await start({ models: ['toolcall'] });
    const [choice] = (await test.answer(request)).choices;
    const [call] = choice?.message.tool_calls ?? [];
    const withCallId = (id: unknown) => ({
      ...request,
      messages: [
        ...request.messages,
        { ...choice?.message, tool_calls: [{ ...call, id }] },
        { role: 'tool', tool_call_id: call?.id, content: 'Sunny.' },
      ],
    });
    expect(contentOf(await test.answer(withCallId(call?.id)))).toBe(AFTER_TOOL_SENTENCE);
    expect(await failure(await test.chat(withCallId(null)))).toMatchObject({
      status: 400,
      param: 'messages[1].tool_calls',
    });
  });

  it('B20: that is cut short ends with length', async () => {
    const test = await start({ models: ['toolcall'] });
    const { choices } = await test.answer({ ...request, tool_choice: 'required', max_tokens: 3 });
    expect(choices[0]?.finish_reason).toBe('length');
  });

  it('B31: holds arguments to a pattern in the items of a list', async () => {
    const test = await start({ models: ['toolcall'] });
    const codes = {
      type: 'array',
      items: { type: 'string', pattern: '^[0-9]{3}-[a-z]{2}$' },
      minItems: 2,
      maxItems: 3,
    };
    const parameters = { type: 'object', properties: { codes }, required: ['codes'] };
    const { choices } = await test.answer({
      ...request,
      tools: [{ type: 'function', function: { name: 'look_up', parameters } }],
      tool_choice: 'required',
      parallel_tool_calls: false,
    });
    const [call] = choices[0]?.message.tool_calls ?? [];
    const given = JSON.parse(call?.function.arguments ?? '').codes as string[];
    expect([2, 3]).toContain(given.length);
    for (const code of given) expect(code).toMatch(/^\d{3}-[a-z]{2}$/);
  });

  it('B22: calls where it must, and not where it may not', async () => {
    const test = await start({ models: ['toolcall'] });
    for (const tool_choice of [
      'required',
      { type: 'function', function: { name: TOOL_CALL.name } },
    ]) {
      const { choices } = await test.answer({ ...request, tool_choice, max_tokens: 300 });
      expect(choices[0]?.message.tool_calls?.[0]?.function.name).toBe(TOOL_CALL.name);
      expect(choices[0]?.finish_reason).toBe('tool_calls');
    }
    const none = await test.answer({ ...request, tool_choice: 'none', max_tokens: 100 });
    expect(none.choices[0]?.message.tool_calls).toBeUndefined();
  });
});

it('a function that is named is called once, others as often as the model likes', async () => {
  const test = await start({ models: ['toolcalls'] });
  const callsOf = async (more: object) => {
    const { choices } = await test.answer({
      ...{ ...request, model: 'toolcalls', max_tokens: 100, ...more },
    });
    return choices[0]?.message.tool_calls?.map(({ function: { name } }) => name);
  };
  const tool_choice = { type: 'function', function: { name: TOOL_CALL.name } };
  for (const parallel_tool_calls of [undefined, true, false]) {
    expect(await callsOf({ tool_choice, parallel_tool_calls })).toEqual([TOOL_CALL.name]);
  }
  expect((await callsOf({ tool_choice: 'required' }))?.length).toBeGreaterThan(1);
  const chunks = chunksOf(await test.streamed({ ...request, model: 'toolcalls', tool_choice }));
  expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('tool_calls');
});

/** A list whose next node is put together of the list and of words. */
const endlessSchema = {
  $ref: '#/$defs/node',
  $defs: {
    node: {
      type: 'object',
      properties: { next: { allOf: [{ $ref: '#/$defs/node' }, { description: 'The next.' }] } },
    },
  },
};

/** Twice as much in each level: for a computer, for ever. */
const doublingSchema = Array.from({ length: 30 }).reduce<object>(
  (inner) => ({ type: ['object', 'object'], properties: { inner } }),
  { type: 'null' },
);

describe('a schema', () => {
  const schema = {
    type: 'object',
    properties: { kind: { enum: ['a', 'b'] }, good: { type: 'boolean' } },
    required: ['kind', 'good'],
    additionalProperties: false,
  };
  const format = (value: object) => ({
    type: 'json_schema',
    json_schema: { name: 'x', strict: true, schema: value },
  });

  it('B32: holds a model that writes at random', async () => {
    const test = await start({ models: ['random'] });
    for (const seed of [1, 2, 3]) {
      const { choices } = await test.answer({
        model: 'random',
        messages: [user('Hi.')],
        seed,
        temperature: 1.5,
        max_tokens: 1000,
        response_format: format(schema),
      });
      expect(choices[0]?.finish_reason).toBe('stop');
      const value = JSON.parse(choices[0]?.message.content ?? '');
      expect(['a', 'b']).toContain(value.kind);
      expect(value.good).toBeTypeOf('boolean');
    }
  });

  it('holds a model that writes at random also where it refers to the whole of itself', async () => {
    const test = await start({ models: ['random'] });
    const next = { anyOf: [{ $ref: '#' }, { type: 'null' }] };
    const list = { ...schema, properties: { ...schema.properties, next }, required: ['next'] };
    const isValid = new Ajv2020().compile(list);
    const texts: string[] = [];
    for (const seed of [1, 2, 3, 4, 5]) {
      const { choices } = await test.answer({
        ...{ model: 'random', messages: [user('Hi.')], seed, temperature: 1.5, max_tokens: 2000 },
        response_format: format(list),
      });
      expect(choices[0]?.finish_reason).toBe('stop');
      const text = choices[0]?.message.content ?? '';
      expect([text, isValid(JSON.parse(text))]).toEqual([text, true]);
      texts.push(text);
    }
    // Some of them do recur.
    expect(texts.some((text) => /"next"\s*:\s*\{/.test(text))).toBe(true);
  });

  it.each<[string, object]>([
    ['a reference', { $ref: '#' }],
    ['an alternative', { anyOf: [{ $ref: '#' }] }],
    ['definitions', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } }],
    ['an allOf', { allOf: [{ $ref: '#/$defs/a' }, {}], $defs: { a: { $ref: '#/$defs/a' } } }],
    ['an allOf in a property', endlessSchema],
    ['types without end', doublingSchema],
  ])('that is endless work by %s is refused, and the engine lives', async (_, value) => {
    const test = await start({ models: ['toolcall'] });
    const body = { messages: [user('Hi.')], max_tokens: 5 };
    expect(
      await failure(await test.chat({ ...body, response_format: format(value) })),
    ).toMatchObject({ status: 400, code: 'invalid_grammar', param: 'response_format' });
    const tools = [...TOOLS, { type: 'function', function: { name: 'f', parameters: value } }];
    expect(await failure(await test.chat({ ...body, tools }))).toMatchObject({
      ...{ status: 400, code: 'invalid_tool', param: 'tools[1]' },
    });
    await test.answer(body);
    expect(test.engines).toHaveLength(1);
  });

  it('that recurs by an allOf of one is held to', async () => {
    const test = await start({ models: ['random'] });
    const properties = { kind: { enum: ['a', 'b'] }, next: { $ref: '#/$defs/maybe' } };
    const node = { ...schema, properties, required: ['kind', 'next'] };
    const value = {
      ...{ description: 'A list.', allOf: [{ $ref: '#/$defs/node' }] },
      $defs: {
        node,
        maybe: { anyOf: [{ title: 'Next', allOf: [{ $ref: '#/$defs/node' }] }, { type: 'null' }] },
      },
    };
    const { choices } = await test.answer({
      ...{ model: 'random', messages: [user('Hi.')], seed: 1, temperature: 1.5, max_tokens: 2000 },
      response_format: format(value),
    });
    const text = choices[0]?.message.content ?? '';
    expect([text, new Ajv2020().compile(value)(JSON.parse(text))]).toEqual([text, true]);
  });

  it('of a tool may refer to the whole of itself', async () => {
    const test = await start({ models: ['toolcall'] });
    const parameters = {
      ...{ type: 'object', required: ['city'], additionalProperties: false },
      properties: { city: { type: 'string' }, near: { type: 'array', items: { $ref: '#' } } },
    };
    const tools = [{ type: 'function', function: { ...TOOL, parameters, strict: true } }];
    const { choices } = await test.answer({ ...request, tools, tool_choice: 'required' });
    const [call] = choices[0]?.message.tool_calls ?? [];
    expect(JSON.parse(call?.function.arguments ?? '')).toEqual(TOOL_CALL.arguments);
  });

  it('of a strict tool that cannot be enforced is refused by name, of another one held to as far as it can be', async () => {
    const test = await start({ models: ['toolcall'] });
    const parameters = { type: 'object', properties: { a: { type: 'string', pattern: '\\d' } } };
    const ask = (strict: boolean) =>
      test.chat({
        messages: [user('Hi.')],
        max_tokens: 4,
        tool_choice: 'required',
        tools: [{ type: 'function', function: { name: 'look', parameters, strict } }],
      });
    const told = await failure(await ask(true));
    expect(told).toMatchObject({ status: 400, code: 'invalid_tool' });
    expect(told.message).toContain('"look"');
    expect((await ask(false)).status).toBe(200);
  });

  it('that cannot be enforced is refused before the first byte', async () => {
    const test = await start({ models: ['random'] });
    for (const stream of [false, true]) {
      const told = await failure(
        await test.chat({
          messages: [user('Hi.')],
          stream,
          response_format: format({ $ref: '#/$defs/nowhere' }),
        }),
      );
      expect(told).toMatchObject({
        ...{ status: 400, code: 'invalid_grammar', param: 'response_format' },
      });
    }
  });
});
