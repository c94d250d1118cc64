import fc from 'fast-check';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import { describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../protocol/engine.js';
import { type ResponseObject, responseSchema } from '../../protocol/response-object.js';
import { GenerationError } from '../generation/generation.js';
import { doneEvent } from '../generation/test-generation.js';
import { ResponseEncoder } from './encoder.js';
import { answer, builder, delta, token } from './test-answers.js';

/** The stream of batches, each payload checked and parsed. */
function streamOf(batches: readonly (readonly EngineEvent[])[]): ResponseStreamEvent[] {
  const encoder = new ResponseEncoder(builder(), () => {});
  const payloads = [...encoder.begin(), ...batches.flatMap((batch) => encoder.encode(batch))];
  return payloads.map((payload) => {
    if (typeof payload === 'string') throw new Error('expected a name');
    const event = JSON.parse(payload.data);
    expect(payload.event).toBe(event.type);
    expect(payload.data).not.toContain('\n');
    return event;
  });
}

function collected(events: readonly EngineEvent[]): ResponseObject {
  const answer = builder();
  for (const event of events) answer.push(event);
  return answer.response;
}

/** Without what is new in each: ids and the time. */
const bare = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, inner) =>
      ['id', 'item_id', 'call_id', 'completed_at'].includes(key) ? undefined : inner,
    ),
  );

const numbersOf = (events: readonly ResponseStreamEvent[]) =>
  events.map((event) => (event as { sequence_number: number }).sequence_number);

/** Cuts events into batches at the places that are true. */
function cut(events: readonly EngineEvent[], places: readonly boolean[]): EngineEvent[][] {
  const batches: EngineEvent[][] = [[]];
  events.forEach((event, i) => {
    if (places[i]) batches.push([]);
    batches.at(-1)?.push(event);
  });
  return batches;
}

describe('any answer, however it is cut into batches', () => {
  const cuts = fc.array(fc.boolean(), { minLength: 40, maxLength: 40 });

  it('is numbered from 0 without gaps, and ends with the response that is collected', () => {
    fc.assert(
      fc.property(answer, cuts, (events, places) => {
        const stream = streamOf(cut(events, places));
        expect(numbersOf(stream)).toEqual(stream.map((_, i) => i));
        const last = stream.at(-1);
        if (!last || !('response' in last)) throw new Error('expected a response at the end');
        expect(bare(last.response)).toEqual(bare(collected(events)));
        expect(() => responseSchema.parse(last.response)).not.toThrow();
        expect(last.type).toBe(`response.${last.response.status}`);
      }),
    );
  });

  it('has deltas that add up to the text that is told as done, in its own place', () => {
    fc.assert(
      fc.property(answer, cuts, (events, places) => {
        const open = new Map<string, string>();
        let items = 0;
        for (const event of streamOf(cut(events, places))) {
          switch (event.type) {
            case 'response.output_item.added':
              expect(event.output_index).toBe(items++);
              open.set(event.item.id ?? '', '');
              // One after the other: nobody has to keep two open.
              expect(open.size).toBe(1);
              break;
            case 'response.reasoning_text.delta':
            case 'response.output_text.delta':
            case 'response.function_call_arguments.delta':
              expect(event.delta).not.toBe('');
              expect(event.output_index).toBe(items - 1);
              open.set(event.item_id, open.get(event.item_id) + event.delta);
              break;
            case 'response.reasoning_text.done':
            case 'response.output_text.done':
              expect(event.text).toBe(open.get(event.item_id));
              break;
            case 'response.function_call_arguments.done':
              expect(event.arguments).toBe(open.get(event.item_id));
              break;
            case 'response.output_item.done':
              expect(open.delete(event.item.id ?? '')).toBe(true);
              break;
          }
        }
        expect(open.size).toBe(0);
      }),
    );
  });
});

it('tells an empty answer as an empty message', () => {
  const types = streamOf([[doneEvent()]]).map(({ type }) => type);
  expect(types).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ]);
});

it('marks the item that was cut off, and only that', () => {
  const events = [
    delta({ reasoning: 'a' }),
    delta({ content: 'b' }),
    doneEvent({ finishReason: 'length' }),
  ];
  expect(collected(events).output.map(({ status }) => status)).toEqual(['completed', 'incomplete']);
});

it('counts as reasoning what comes up to its last piece', () => {
  const events = [
    ...[token(), token(), delta({ reasoning: 'a' }), token(), delta({ reasoning: 'b' })],
    ...[token(), token(), delta({ content: 'c' }), doneEvent({ outputTokens: 5 })],
  ];
  expect(collected(events).usage?.output_tokens_details.reasoning_tokens).toBe(3);
});

it('gives log probabilities to the text that their tokens complete, and to no reasoning', () => {
  const likely = (word: string): EngineEvent => ({
    ...token(),
    logprobs: [{ tokenId: 1, logprob: -1, bytes: new TextEncoder().encode(word) }],
  });
  const stream = streamOf([
    [likely('x'), delta({ reasoning: 'x' })],
    [likely('a'), likely('b'), delta({ content: 'ab' }), likely('c'), delta({ content: 'c' })],
    [doneEvent()],
  ]);
  const words = stream.flatMap((event) =>
    event.type === 'response.output_text.delta'
      ? [event.logprobs.map((entry) => entry.token).join('+')]
      : [],
  );
  expect(words).toEqual(['a+b', 'c']);
});

describe('a failure', () => {
  const failure = new GenerationError('engine_crashed', 'The engine ended.');

  it('ends the stream with what there is, and numbers on', () => {
    const encoder = new ResponseEncoder(builder(), () => {});
    const payloads = [
      ...encoder.begin(),
      ...encoder.encode([delta({ content: 'Half a' })]),
      ...encoder.encode([
        { type: 'error', seq: 0, code: 'engine_crashed', message: 'The engine ended.' },
      ]),
    ];
    const events = payloads.map((each) => JSON.parse((each as { data: string }).data));
    expect(numbersOf(events)).toEqual(events.map((_, i) => i));
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: {
        status: 'failed',
        error: { code: 'server_error', message: 'The engine ended.' },
        output: [{ status: 'incomplete', content: [{ text: 'Half a' }] }],
      },
    });
  });

  it('before the prompt was accepted still begins with the response', () => {
    const encoder = new ResponseEncoder(builder(), () => {});
    const names = encoder.encodeError(failure).map((each) => (each as { event: string }).event);
    expect(names).toEqual(['response.created', 'response.in_progress', 'response.failed']);
  });

  it('has the code that says whether to try again', () => {
    const codeOf = (error: GenerationError) => {
      const answer = builder();
      answer.fail(error);
      return answer.response.error?.code;
    };
    expect(codeOf(failure)).toBe('server_error');
    expect(codeOf(new GenerationError('queue_full', ''))).toBe('rate_limit_exceeded');
    expect(codeOf(new GenerationError('context_length_exceeded', ''))).toBe('invalid_prompt');
  });
});

it('is kept before its end is told', () => {
  const answer = builder();
  const encoder = new ResponseEncoder(answer, () => {
    answer.response.store = false;
  });
  const last = encoder.encode([doneEvent()]).at(-1) as { data: string };
  expect(JSON.parse(last.data)).toMatchObject({
    type: 'response.completed',
    response: { store: false },
  });
});
