import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PromptLogprobsEvent } from '../../protocol/engine.js';
import { inferenceAnswerSchema } from '../../protocol/inference.js';
import { PromptLogprobsText } from './prompt-logprobs.js';

interface Entry {
  id: number;
  logprob: number;
  rank: number;
}

/** Cuts the tokens of a prompt into events, each token id named where it comes for the first time. */
function eventsOf(
  tokens: readonly (readonly Entry[])[],
  names: ReadonlyMap<number, Uint8Array>,
  cuts: readonly boolean[],
): PromptLogprobsEvent[] {
  const events: PromptLogprobsEvent[] = [];
  const named = new Set<number>();
  let from = 0;
  for (let i = 1; i <= tokens.length; i++) {
    if (i < tokens.length && !cuts[i % cuts.length]) continue;
    const some = tokens.slice(from, i);
    const entries = some.flat();
    const fresh = [...new Set(entries.map(({ id }) => id))].filter((id) => !named.has(id));
    for (const id of fresh) named.add(id);
    const texts = fresh.map((id) => names.get(id) ?? new Uint8Array());
    events.push({
      ...{ type: 'prompt-logprobs', seq: 0, first: from + 1 },
      entries: Int32Array.from(some, (each) => each.length),
      tokenIds: Int32Array.from(entries, ({ id }) => id),
      logprobs: Float32Array.from(entries, ({ logprob }) => logprob),
      ranks: Int32Array.from(entries, ({ rank }) => rank),
      namedIds: Int32Array.from(fresh),
      byteLengths: Int32Array.from(texts, (text) => text.length),
      bytes: Buffer.concat(texts),
    });
    from = i;
  }
  return events;
}

const written = (events: readonly PromptLogprobsEvent[]): string => {
  const text = new PromptLogprobsText();
  for (const event of events) text.push(event);
  return text.parts().join('');
};

const schema = inferenceAnswerSchema.shape.prompt_logprobs.unwrap();

const ids = fc.integer({ min: 0, max: 300_000 });
const texts = fc.oneof(
  fc.uint8Array({ maxLength: 8 }),
  fc.string().map((text) => new TextEncoder().encode(text)),
  fc
    .constantFrom('"', '\\', '\n', '\ufeff', '\u2028', '</script>')
    .map((each) => Buffer.from(each)),
);
const prompts = fc
  .dictionary(ids.map(String), texts, { minKeys: 1, maxKeys: 12 })
  .map((names) => new Map(Object.entries(names).map(([id, text]) => [Number(id), text])))
  .chain((names) =>
    fc.record({
      names: fc.constant(names),
      tokens: fc.array(
        fc.shuffledSubarray([...names.keys()], { minLength: 1 }).map((chosen) =>
          chosen.map((id, place) => ({
            id,
            logprob: Math.fround(-0.37 * place - 0.01),
            rank: place + 1,
          })),
        ),
        { maxLength: 10 },
      ),
      cuts: fc.array(fc.boolean(), { minLength: 3, maxLength: 9 }),
    }),
  );

describe('any prompt', () => {
  it('is a list of maps in which each entry is found again, however it was cut', () => {
    fc.assert(
      fc.property(prompts, ({ names, tokens, cuts }) => {
        const json = written(eventsOf(tokens, names, cuts));
        const [first, ...maps] = schema.parse(JSON.parse(json));
        expect(first).toBeNull();
        expect(maps).toEqual(
          tokens.map((entries) =>
            Object.fromEntries(
              entries.map(({ id, logprob, rank }) => [
                id,
                {
                  logprob,
                  rank,
                  decoded_token: new TextDecoder('utf-8', { ignoreBOM: true }).decode(
                    names.get(id),
                  ),
                },
              ]),
            ),
          ),
        );
        expect(json).toBe(written(eventsOf(tokens, names, [true])));
      }),
    );
  });
});

describe('the text', () => {
  const names = new Map([
    [9, Buffer.from('nine')],
    [2, Buffer.from('two')],
  ]);

  it("has the prompt's own token first in its map, whatever its id", () => {
    const token = [
      { id: 9, logprob: -1, rank: 2 },
      { id: 2, logprob: -0.5, rank: 1 },
    ];
    expect(written(eventsOf([token], names, [true]))).toBe(
      '[null,{"9":{"logprob":-1,"rank":2,"decoded_token":"nine"},"2":{"logprob":-0.5,"rank":1,"decoded_token":"two"}}]',
    );
  });

  it('tells a token that cannot come as the reference does', () => {
    const token = [{ id: 9, logprob: Number.NEGATIVE_INFINITY, rank: 40 }];
    expect(JSON.parse(written(eventsOf([token], names, [true])))).toEqual([
      null,
      { 9: { logprob: -9999, rank: 40, decoded_token: 'nine' } },
    ]);
  });

  it('of a single token is null', () => {
    expect(written([])).toBe('[null]');
  });
});
