import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../protocol/engine.js';
import { inferenceAnswerSchema, inferenceChunkSchema } from '../../protocol/inference.js';
import { errorBodySchema } from '../../protocol/openai.js';
import { doneEvent } from '../generation/test-generation.js';
import { InferenceCollector, InferenceEncoder } from './inference-encoder.js';

const header = { requestId: 'mine', includeUsage: false, continuousUsage: false, choices: 1 };
const token = (seq: number, index: number, tokenId: number): EngineEvent => ({
  type: 'token',
  seq,
  index,
  tokenId,
  text: tokenId % 3 === 0 ? '' : `${tokenId}`,
});
const done = (seq: number, outputTokens: number) =>
  doneEvent({ seq, promptTokens: 5, cachedTokens: 2, outputTokens, finishReason: 'length' });

const parseAnswer = (collector: InferenceCollector) =>
  inferenceAnswerSchema.strict().parse(JSON.parse(collector.json('mine').join('')));
const parse = (payload: string) => inferenceChunkSchema.strict().parse(JSON.parse(payload));

describe('a stream', () => {
  it('has a chunk for each token and one for the end, which has none', () => {
    const encoder = new InferenceEncoder(header);
    const payloads = [
      ...encoder.begin(5),
      ...encoder.encode([token(0, 0, 7)]),
      ...encoder.encode([token(0, 1, 9), done(0, 2)]),
    ];
    expect(payloads.at(-1)).toBe('[DONE]');
    expect(payloads.slice(0, -1).map((payload) => JSON.parse(payload))).toEqual([
      {
        request_id: 'mine',
        choices: [{ index: 0, token_ids: [7], logprobs: null, finish_reason: null }],
      },
      {
        request_id: 'mine',
        choices: [{ index: 0, token_ids: [9], logprobs: null, finish_reason: null }],
      },
      {
        request_id: 'mine',
        choices: [{ index: 0, token_ids: [], logprobs: null, finish_reason: 'length' }],
      },
    ]);
  });

  it('without any token has the end all the same', () => {
    const encoder = new InferenceEncoder({ ...header, includeUsage: true, continuousUsage: true });
    encoder.begin(5);
    const end = doneEvent({ promptTokens: 5, outputTokens: 0 });
    const [finish, usage, last] = encoder.encode([end]);
    const counts = { prompt_tokens: 5, completion_tokens: 0, total_tokens: 5 };
    expect(parse(finish ?? '')).toMatchObject({
      choices: [{ token_ids: [], finish_reason: 'stop' }],
      usage: counts,
    });
    expect(parse(usage ?? '')).toMatchObject({ choices: [], usage: counts });
    expect(last).toBe('[DONE]');
  });

  it('ends with the error, and nothing after it', () => {
    const encoder = new InferenceEncoder({ ...header, includeUsage: true });
    encoder.begin(5);
    const error: EngineEvent = {
      type: 'error',
      seq: 0,
      code: 'engine_crashed',
      message: 'The engine was lost.',
    };
    const [, payload, ...rest] = encoder.encode([token(0, 0, 7), error]);
    expect(rest).toEqual([]);
    expect(errorBodySchema.parse(JSON.parse(payload ?? '')).error.code).toBe('engine_crashed');
  });

  it('names tokens in log probabilities by their ids', () => {
    const bytes = new Uint8Array([0xc3]);
    const event: EngineEvent = {
      ...{ type: 'token', seq: 0, index: 0, tokenId: 7, text: '' },
      logprobs: [
        { tokenId: 7, logprob: -1, bytes },
        { tokenId: 8, logprob: Number.NEGATIVE_INFINITY, bytes },
      ],
    };
    const [payload = ''] = new InferenceEncoder(header).encode([event]);
    expect(parse(payload).choices[0]?.logprobs).toEqual({
      content: [
        {
          ...{ token: 'token_id:7', logprob: -1, bytes: [0xc3] },
          top_logprobs: [{ token: 'token_id:8', logprob: -9999, bytes: [0xc3] }],
        },
      ],
    });
  });
});

/** Some answers at the same time, as batches of events in any order that an engine can give. */
const answers = fc
  .array(fc.array(fc.nat(1000), { maxLength: 8 }), { minLength: 1, maxLength: 3 })
  .chain((ids) => {
    const queues = ids.map((list, seq) => [
      ...list.map((id, index) => token(seq, index, id)),
      done(seq, list.length),
    ]);
    const turns = queues.flatMap((queue, seq) => queue.map(() => seq));
    return fc
      .tuple(
        fc.shuffledSubarray(turns, { minLength: turns.length }),
        fc.array(fc.boolean(), { minLength: turns.length, maxLength: turns.length }),
      )
      .map(([order, cuts]) => {
        const left = queues.map((queue) => [...queue]);
        const batches: EngineEvent[][] = [[]];
        order.forEach((seq, i) => {
          const event = left[seq]?.shift();
          if (event) batches.at(-1)?.push(event);
          if (cuts[i]) batches.push([]);
        });
        return { ids, batches };
      });
  });

describe('any answers', () => {
  it('are the same streamed and collected, with counts that are right at every place', () => {
    fc.assert(
      fc.property(answers, fc.boolean(), fc.boolean(), ({ ids, batches }, includeUsage, each) => {
        const continuousUsage = includeUsage && each;
        const choices = ids.length;
        const encoder = new InferenceEncoder({ ...header, includeUsage, continuousUsage, choices });
        const collector = new InferenceCollector(choices);
        const payloads = [...encoder.begin(5)];
        for (const batch of batches) {
          payloads.push(...encoder.encode(batch));
          for (const event of batch) collector.push(event);
        }
        expect(payloads.pop()).toBe('[DONE]');
        const chunks = payloads.map(parse);
        const answer = parseAnswer(collector);
        expect(answer.prompt_logprobs).toBeNull();
        expect(answer.choices.map(({ token_ids }) => token_ids)).toEqual(ids);
        const usage = includeUsage ? chunks.pop() : undefined;
        expect(usage?.choices ?? []).toEqual([]);
        if (usage) expect(usage.usage).toEqual(answer.usage);

        const told = ids.map((): number[] => []);
        let count = 0;
        for (const chunk of chunks) {
          const [choice] = chunk.choices;
          told[choice?.index ?? -1]?.push(...(choice?.token_ids ?? []));
          count += choice?.token_ids.length ?? 0;
          if (!includeUsage) expect(chunk).not.toHaveProperty('usage');
          else if (!continuousUsage) expect(chunk.usage).toBeNull();
          else {
            expect(chunk.usage).toEqual({
              prompt_tokens: 5,
              completion_tokens: count,
              total_tokens: 5 + count,
            });
          }
        }
        expect(told).toEqual(ids);
        expect(answer.usage.completion_tokens).toBe(count);
        const ends = chunks.filter(({ choices: [choice] }) => choice?.finish_reason !== null);
        expect(ends).toHaveLength(choices);
      }),
    );
  });
});
