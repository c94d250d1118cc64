import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Asked, OpenAiValidator } from './openai-validator.js';
import type { ViolationKind } from './violation.js';

const latin1 = (value: unknown) => Buffer.from(JSON.stringify(value), 'utf8').toString('latin1');

interface TestChunk {
  [field: string]: unknown;
  choices: { [field: string]: unknown; index: number; finish_reason: string | null }[];
}

/** A whole stream, its chunks not yet texts. */
interface Stream {
  asked: Asked;
  chunks: TestChunk[];
  /** What may come between the chunks and [DONE], and behind it. */
  before: string[];
  after: string[];
  hasDone: boolean;
}

const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('', '"', '\n', '\u2028'));
const choice = fc.record({
  texts: fc.array(text, { maxLength: 4 }),
  reason: fc.constantFrom('stop', 'length', 'content_filter'),
});

/** Streams as they should be, of either protocol, the choices one piece in turn. */
const streams: fc.Arbitrary<Stream> = fc
  .record({
    protocol: fc.constantFrom<Asked['protocol']>('chat', 'completions'),
    answers: fc.array(choice, { minLength: 1, maxLength: 3 }),
    more: fc.nat(5),
    showsNull: fc.boolean(),
    reasons: fc.boolean(),
  })
  .map(({ protocol, answers, more, showsNull, reasons }) => {
    const output = answers.flatMap(({ texts }) => texts).length + more + 1;
    const head = {
      id: 'a-1',
      created: 1_700_000_000,
      model: 'm',
      ...(showsNull ? { usage: null } : {}),
    };
    const object = protocol === 'chat' ? 'chat.completion.chunk' : 'text_completion';
    const piece = (index: number, content: string | null, reason: string | null) => {
      const delta =
        content === null ? {} : { [reasons ? 'reasoning_content' : 'content']: content };
      const body = protocol === 'chat' ? { delta } : { text: content ?? '' };
      return { index, ...body, logprobs: null, finish_reason: reason };
    };
    const longest = Math.max(...answers.map(({ texts }) => texts.length));
    const turns = Array.from({ length: longest + 1 }, (_, turn) =>
      answers.flatMap(({ texts, reason }, index) => {
        const content = texts[turn];
        if (content !== undefined) return [piece(index, content, null)];
        return turn === texts.length ? [piece(index, null, reason)] : [];
      }),
    );
    const usage = { prompt_tokens: 7, completion_tokens: output, total_tokens: 7 + output };
    const details = { prompt_tokens_details: { cached_tokens: 3 } };
    return {
      asked: { protocol, choices: answers.length, usage: true, maxTokens: output },
      chunks: [
        ...turns.flat().map((one) => ({ ...head, object, choices: [one] })),
        { ...head, object, choices: [], usage: { ...usage, ...details } },
      ],
      ...{ before: [], after: [], hasDone: true },
    };
  });

function follow({ asked, chunks, before, after, hasDone }: Stream): OpenAiValidator {
  const validator = new OpenAiValidator(asked);
  const events = [...chunks.map(latin1), ...before, ...(hasDone ? ['[DONE]'] : []), ...after];
  for (const event of events) validator.take(event);
  validator.end();
  return validator;
}

const kinds = (stream: Stream) =>
  follow(stream)
    .violations()
    .map(({ kind }) => kind);

/** Changes a stream so that it is wrong in one way; `at` says where, as far as there is a choice. */
type Mutation = (stream: Stream, at: number) => Partial<Stream>;

const pick = <T>(list: readonly T[], at: number): T => {
  const found = list[at % list.length];
  if (found === undefined) throw new Error('nothing to pick from');
  return found;
};
const withChoices = (chunks: readonly TestChunk[]) => chunks.filter((c) => c.choices.length > 0);
const finishes = (chunks: readonly TestChunk[]) =>
  chunks.filter(({ choices }) => choices[0]?.finish_reason != null);
const usageChunk = (chunks: readonly TestChunk[]) => pick(chunks, chunks.length - 1);
const replaced = (chunks: readonly TestChunk[], old: TestChunk, ...by: TestChunk[]) => ({
  chunks: chunks.flatMap((chunk) => (chunk === old ? by : [chunk])),
});
const changedChoice = (chunk: TestChunk, change: object): TestChunk => ({
  ...chunk,
  choices: chunk.choices.map((one) => ({ ...one, ...change })),
});
const without = (value: object, field: string) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== field));
const changedField =
  (field: string, value: unknown): Mutation =>
  ({ chunks }, at) => {
    const chunk = pick(chunks, at);
    return replaced(chunks, chunk, { ...chunk, [field]: value });
  };

const MUTATIONS: Record<
  Exclude<
    ViolationKind,
    | ('content_type' | 'unfinished_event' | 'left_open')
    | ('index_gap' | 'count_wrong' | 'end_missing' | 'after_end')
  >,
  Mutation[]
> = {
  not_utf8: [() => ({ before: ['{"id":"\xff"}'] }), () => ({ before: ['{"id":"\xe2\x82"}'] })],
  not_json: [
    () => ({ before: ['{"id":'] }),
    () => ({ before: [''] }),
    () => ({ before: ['[done]'] }),
    ({ chunks }, at) => ({ before: [latin1(pick(chunks, at)).slice(0, -1)] }),
  ],
  bad_shape: [
    () => ({ before: ['null'] }),
    ({ chunks }, at) => {
      const chunk = pick(chunks, at);
      const field = pick(['id', 'object', 'created', 'model', 'choices'], at);
      return { before: [latin1(without(chunk, field))] };
    },
    ({ chunks, asked }, at) => {
      const chunk = pick(withChoices(chunks), at);
      const body = asked.protocol === 'chat' ? 'delta' : 'text';
      const field = pick(['index', body, 'finish_reason'], at);
      return {
        before: [latin1({ ...chunk, choices: chunk.choices.map((c) => without(c, field)) })],
      };
    },
    ({ chunks }, at) =>
      replaced(chunks, pick(chunks, at), {
        ...pick(chunks, at),
        object: 'chat.completion',
      }),
    ({ chunks }, at) => {
      const chunk = pick(finishes(chunks), at);
      return replaced(chunks, chunk, changedChoice(chunk, { finish_reason: 'eos' }));
    },
  ],
  id_changed: [changedField('id', 'a-2')],
  model_changed: [changedField('model', 'n')],
  created_changed: [changedField('created', 1_700_000_001)],
  choice_index: [
    ({ chunks, asked }, at) => {
      const chunk = pick(withChoices(chunks), at);
      return replaced(chunks, chunk, changedChoice(chunk, { index: asked.choices }));
    },
  ],
  tool_index: [
    (stream) => toolCalls(stream, { index: 1, id: 'x', function: { name: 'f', arguments: '' } }),
    (stream) => toolCalls(stream, { index: 0, function: { arguments: '{}' } }),
  ],
  empty_choices: [
    ({ chunks }) => {
      const [first] = chunks;
      return { chunks: [{ ...first, choices: [] }, ...chunks] };
    },
  ],
  finish_missing: [
    ({ chunks }, at) => {
      const chunk = pick(finishes(chunks), at);
      return replaced(chunks, chunk, changedChoice(chunk, { finish_reason: null }));
    },
    ({ chunks }, at) => replaced(chunks, pick(finishes(chunks), at)),
  ],
  finish_twice: [
    ({ chunks }, at) => {
      const chunk = pick(finishes(chunks), at);
      return replaced(chunks, chunk, chunk, chunk);
    },
  ],
  after_finish: [
    ({ chunks }, at) => {
      const chunk = pick(finishes(chunks), at);
      return replaced(chunks, chunk, chunk, changedChoice(chunk, { finish_reason: null }));
    },
  ],
  usage_missing: [
    ({ chunks }) => replaced(chunks, usageChunk(chunks)),
    ({ chunks }) => ({ chunks: chunks.slice(0, -1), hasDone: false }),
  ],
  usage_unasked: [({ asked }) => ({ asked: { ...asked, usage: false } })],
  usage_twice: [({ chunks }) => ({ chunks: [...chunks, usageChunk(chunks)] })],
  usage_misplaced: [
    ({ chunks }) => ({ chunks: [usageChunk(chunks), ...chunks.slice(0, -1)] }),
    ({ chunks }) => {
      const { usage } = usageChunk(chunks);
      return {
        chunks: chunks
          .slice(0, -1)
          .map((c, i, { length }) => (i === length - 1 ? { ...c, usage } : c)),
      };
    },
  ],
  usage_wrong: [
    ({ chunks }, at) => withUsage(chunks, { total_tokens: 100_000 + at }),
    ({ chunks }) => withUsage(chunks, { prompt_tokens_details: { cached_tokens: 8 } }),
    ({ asked }) => ({ asked: { ...asked, maxTokens: 0 } }),
    ({ chunks, asked }) => {
      const [first] = chunks;
      const content = {
        ...(asked.protocol === 'chat' ? { delta: { content: 'x' } } : { text: 'x' }),
      };
      const said = { ...changedChoice(pick(chunks, 0), { ...content, finish_reason: null }) };
      const counts = { completion_tokens: 0, total_tokens: 7 };
      return { chunks: [said, ...withUsage(chunks, counts).chunks].filter((c) => c !== first) };
    },
  ],
  done_missing: [() => ({ hasDone: false })],
  after_done: [
    () => ({ after: ['[DONE]'] }),
    () => ({ after: [latin1({ error: { message: 'late' } })] }),
    ({ chunks }, at) => ({ after: [latin1(pick(chunks, at))] }),
  ],
  after_error: [
    ({ chunks }, at) => ({
      before: [latin1({ error: { message: 'broken' } }), latin1(pick(chunks, at))],
    }),
  ],
};

function withUsage(chunks: readonly TestChunk[], change: object) {
  const last = usageChunk(chunks);
  return replaced(chunks, last, { ...last, usage: { ...Object(last.usage), ...change } });
}

/** Only chats have them. */
function toolCalls(stream: Stream, call: object): Partial<Stream> {
  const calling = {
    ...{ id: 'a-1', created: 1_700_000_000, model: 'm', object: 'chat.completion.chunk' },
    choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }],
  };
  const finished = changedChoice(calling, { delta: {}, finish_reason: 'tool_calls' });
  return {
    asked: { ...stream.asked, protocol: 'chat', choices: 1, usage: false },
    chunks: [calling, finished],
  };
}

describe('a stream as it should be', () => {
  it('has no violations, and its counts are known', () => {
    fc.assert(
      fc.property(streams, (stream) => {
        const validator = follow(stream);
        expect(validator.violations()).toEqual([]);
        expect(validator).toMatchObject({
          ...{ failure: null, isComplete: true },
          counts: { prompt: 7, output: stream.asked.maxTokens, cached: 3 },
        });
      }),
    );
  });

  it('may end with an error, and with [DONE] behind it', () => {
    fc.assert(
      fc.property(streams, fc.nat(), fc.boolean(), (stream, at, hasDone) => {
        const chunks = stream.chunks.slice(0, at % stream.chunks.length);
        const before = [latin1({ error: { message: 'Out of memory.', code: 500 } })];
        const validator = follow({ ...stream, chunks, before, hasDone });
        expect(validator.violations()).toEqual([]);
        expect(validator.failure).toBe('Out of memory.');
      }),
    );
  });

  it('may call tools, whose arguments come in pieces', () => {
    const calls = [
      { index: 0, id: 'a', function: { name: 'f', arguments: '' } },
      { index: 0, function: { arguments: '{}' } },
      { index: 1, id: 'b', function: { name: 'g', arguments: '{}' } },
    ];
    const head = { id: 'x', created: 1, model: 'm', object: 'chat.completion.chunk' };
    const chunk = (delta: object, finish_reason: string | null) => ({
      ...{ ...head, choices: [{ index: 0, delta, finish_reason }] },
    });
    const stream: Stream = {
      asked: { protocol: 'chat', choices: 1, usage: false, maxTokens: null },
      chunks: [
        ...calls.map((call) => chunk({ tool_calls: [call] }, null)),
        chunk({}, 'tool_calls'),
      ],
      ...{ before: [], after: [], hasDone: true },
    };
    expect(kinds(stream)).toEqual([]);
  });
});

describe('a stream that was changed', () => {
  const all = Object.entries(MUTATIONS).flatMap(([kind, mutations]) =>
    mutations.map((mutate, i) => [kind, i, mutate] as const),
  );
  it.each(all)('is found out: %s, in way %i', (kind, _, mutate) => {
    fc.assert(
      fc.property(streams, fc.nat(), (stream, at) => {
        expect(kinds({ ...stream, ...mutate(stream, at) })).toContain(kind);
      }),
    );
  });

  it('of anything at all never fails to be read', () => {
    const event = fc.oneof(fc.string({ unit: 'binary' }), fc.json(), fc.constant('[DONE]'));
    fc.assert(
      fc.property(streams, fc.array(event), ({ asked }, events) => {
        const validator = new OpenAiValidator(asked);
        for (const data of events) validator.take(data);
        validator.end();
        expect(validator.violations()).not.toEqual([]);
      }),
    );
  });
});

it('says what it found, where, and how often', () => {
  const validator = new OpenAiValidator({
    ...{ protocol: 'chat', choices: 1, usage: false, maxTokens: 5 },
  });
  const chunk = { id: 'x', created: 1, model: 'm', object: 'chat.completion.chunk' };
  const choice = { index: 0, delta: { content: 'a' }, finish_reason: null };
  const take = (change: object) =>
    validator.take(latin1({ ...chunk, choices: [choice], ...change }));
  expect(take({})).toBe('output');
  take({ id: 'y' });
  take({ id: 'z' });
  expect(validator.violations()).toEqual([
    {
      kind: 'id_changed',
      event: 1,
      count: 2,
      message: 'the id is not the same in all chunks: x, then y',
    },
  ]);
});
