import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../protocol/engine.js';
import type { ResponseEvent } from '../../protocol/response-events.js';
import { GenerationError } from '../generation/generation.js';
import { doneEvent } from '../generation/test-generation.js';
import { replay } from './replay.js';
import { answer, builder, delta } from './test-answers.js';

type Delta = Extract<ResponseEvent, { delta: string }>;

/** As the events were when they were sent. */
const sent = <T>(value: T): T => JSON.parse(JSON.stringify(value));

/** Events of one answer, as they are told the first time, with deltas that follow each other in one. */
function firstTime(events: readonly EngineEvent[], error?: GenerationError) {
  const answer = builder();
  const told = sent(answer.begin());
  for (const event of events) told.push(...sent(answer.push(event)));
  if (error) told.push(...sent(answer.fail(error)));
  const joined: ResponseEvent[] = [];
  for (const event of told) {
    const last = joined.at(-1);
    if ('delta' in event && last?.type === event.type) join(last as Delta, event);
    else joined.push(event);
  }
  return { events: joined, response: sent(answer.response) };
}

function join(first: Delta, { delta, ...rest }: Delta): void {
  first.delta += delta;
  if ('logprobs' in first && 'logprobs' in rest) first.logprobs.push(...rest.logprobs);
}

describe('a replay', () => {
  it('is the first stream, each text in one delta', () => {
    fc.assert(
      fc.property(answer, (events) => {
        const { events: told, response } = firstTime(events);
        expect(sent(replay(response))).toEqual(told);
      }),
    );
  });

  it('is the first stream also where that failed', () => {
    const error = new GenerationError('engine_crashed', 'The engine ended.');
    fc.assert(
      fc.property(answer, fc.nat({ max: 30 }), (events, length) => {
        const before = events.slice(0, Math.min(length, events.length - 1));
        const { events: told, response } = firstTime(before, error);
        expect(sent(replay(response))).toEqual(told);
      }),
    );
  });

  it('has the log probabilities of the text in its delta', () => {
    const likely = (word: string): EngineEvent => ({
      ...{ type: 'token', seq: 0, index: 0, tokenId: 1, text: word },
      logprobs: [{ tokenId: 1, logprob: -1, bytes: new TextEncoder().encode(word) }],
    });
    const said = ['a', 'b'].flatMap((word) => [likely(word), delta({ content: word })]);
    const { response } = firstTime([...said, doneEvent()]);
    const [text] = replay(response).filter(({ type }) => type === 'response.output_text.delta');
    expect(text).toMatchObject({ delta: 'ab', logprobs: [{ token: 'a' }, { token: 'b' }] });
  });

  it('ends as incomplete where the client left before the end', () => {
    const { response } = firstTime([
      delta({ content: 'a' }),
      doneEvent({ finishReason: 'cancelled' }),
    ]);
    const last = replay(response).at(-1);
    expect(last).toMatchObject({ type: 'response.incomplete', response: { status: 'cancelled' } });
  });
});
