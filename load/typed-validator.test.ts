import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TypedValidator } from './typed-validator.js';
import type { ViolationKind } from './violation.js';

const latin1 = (value: unknown) => Buffer.from(JSON.stringify(value), 'utf8').toString('latin1');

interface Token {
  type: 'token';
  index: number;
  token_id: number;
  text: string;
}

interface Stream {
  tokens: Token[];
  done: Record<string, unknown>;
  maxTokens: number;
}

const streams: fc.Arbitrary<Stream> = fc
  .array(fc.tuple(fc.nat(300_000), fc.string({ unit: 'grapheme' })), { maxLength: 12 })
  .map((list) => ({
    tokens: list.map(([token_id, text], index) => ({ type: 'token', index, token_id, text })),
    done: {
      ...{ type: 'done', finish_reason: 'stop', prompt_tokens: 5, cached_tokens: 2 },
      ...{ output_tokens: list.length, queue_ms: 0, prefill_ms: 1.5, ttft_ms: 2, total_ms: 9 },
      tokens_per_s: 3,
    },
    maxTokens: list.length,
  }));
const withTokens = streams.filter(({ tokens }) => tokens.length >= 2);

function follow(events: readonly string[], maxTokens = 100): TypedValidator {
  const validator = new TypedValidator(maxTokens);
  for (const event of events) validator.take(event);
  validator.end();
  return validator;
}
const kinds = (events: readonly string[], maxTokens?: number) =>
  follow(events, maxTokens)
    .violations()
    .map(({ kind }) => kind);

/** The events of the stream, wrong in one way; `at` says where. */
type Mutation = (stream: Stream, at: number) => string[];

const all = ({ tokens, done }: Stream) => [...tokens, done].map(latin1);
const place = (list: readonly unknown[], at: number) => at % list.length;
const inserted = (events: readonly string[], at: number, event: string) =>
  events.toSpliced(at, 0, event);

const MUTATIONS: Record<
  Extract<
    ViolationKind,
    | ('not_utf8' | 'not_json' | 'bad_shape')
    | ('index_gap' | 'count_wrong' | 'end_missing' | 'after_end')
  >,
  Mutation[]
> = {
  not_utf8: [(stream) => inserted(all(stream), 0, '"\xc3"')],
  not_json: [
    (stream, at) => all(stream).map((e, i, list) => (i === place(list, at) ? e.slice(1) : e)),
    (stream) => inserted(all(stream), 0, '[DONE]'),
  ],
  bad_shape: [
    ({ tokens, done }, at) =>
      [...tokens, done].map((event, i, list) =>
        latin1(i === place(list, at) ? { ...event, more: 1 } : event),
      ),
    ({ tokens, done }, at) => {
      const names = Object.keys(done);
      const less = Object.entries(done).filter(([name]) => name !== names[place(names, at)]);
      return [...tokens, Object.fromEntries(less)].map(latin1);
    },
    (stream) => inserted(all(stream), 0, latin1({ type: 'ping' })),
  ],
  index_gap: [
    // One that is lost, but not the last, whose index nobody misses.
    ({ tokens, done }, at) => {
      const lost = place(tokens.slice(1), at);
      return [...tokens.filter((_, i) => i !== lost), done].map(latin1);
    },
    (stream, at) => {
      const i = place(stream.tokens, at);
      return inserted(all(stream), i, latin1(stream.tokens[i]));
    },
    ({ tokens, done }) => [...tokens.toReversed(), done].map(latin1),
    ({ tokens, done }) => [...tokens.map((t) => ({ ...t, index: t.index + 1 })), done].map(latin1),
  ],
  count_wrong: [
    ({ tokens, done }) => [...tokens.slice(0, -1), done].map(latin1),
    ({ tokens, done }, at) =>
      [...tokens, { ...done, output_tokens: tokens.length + 1 + at }].map(latin1),
    ({ tokens, done }) => [...tokens, { ...done, cached_tokens: 6 }].map(latin1),
  ],
  end_missing: [({ tokens }) => tokens.map(latin1)],
  after_end: [
    (stream) => [...all(stream), latin1(stream.done)],
    (stream) => [...all(stream), latin1({ type: 'error', code: 'x', message: 'X.' })],
    (stream) => [...all(stream), 'anything'],
    (stream) => [latin1({ type: 'error', code: 'x', message: 'X.' }), ...all(stream)],
  ],
};

describe('a typed stream as it should be', () => {
  it('has no violations, and each of its tokens is output', () => {
    fc.assert(
      fc.property(streams, (stream) => {
        const { tokens, maxTokens } = stream;
        const validator = new TypedValidator(maxTokens);
        const taken = all(stream).map((event) => validator.take(event));
        validator.end();
        expect(taken).toEqual([...tokens.map(() => 'output'), 'end']);
        expect(validator.violations()).toEqual([]);
        expect(validator.counts).toEqual({ prompt: 5, output: tokens.length, cached: 2 });
      }),
    );
  });

  it('may end with an error instead', () => {
    const error = latin1({ type: 'error', code: 'engine_crashed', message: 'It is gone.' });
    const validator = follow([latin1({ type: 'token', index: 0, token_id: 1, text: '' }), error]);
    expect(validator.violations()).toEqual([]);
    expect(validator).toMatchObject({ isComplete: true, failure: 'engine_crashed: It is gone.' });
  });
});

describe('a typed stream that was changed', () => {
  const ways = Object.entries(MUTATIONS).flatMap(([kind, mutations]) =>
    mutations.map((mutate, i) => [kind, i, mutate] as const),
  );
  it.each(ways)('is found out: %s, in way %i', (kind, _, mutate) => {
    fc.assert(
      fc.property(withTokens, fc.nat(1000), (stream, at) => {
        expect(kinds(mutate(stream, at))).toContain(kind);
      }),
    );
  });

  it('is found out where it has more tokens than were asked for', () => {
    fc.assert(
      fc.property(withTokens, (stream) => {
        expect(kinds(all(stream), stream.maxTokens - 1)).toEqual(['count_wrong']);
      }),
    );
  });

  it('of anything at all never fails to be read', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.json())), (events) => {
        expect(kinds(events)).toContain('end_missing');
      }),
    );
  });
});
