import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EngineEvent, FinishReason } from '../../protocol/engine.js';
import { generateAnswerSchema, generateEventSchema } from '../../protocol/generate.js';
import { doneEvent } from '../generation/test-generation.js';
import { GenerateCollector, GenerateEncoder } from './generate-events.js';

const REASONS: FinishReason[] = ['eog', 'stop_string', 'stop_token', 'length'];

/** Tokens, some without text, and an end; in batches. */
const generations = fc
  .tuple(
    fc.array(
      fc.tuple(
        fc.nat(300_000),
        fc.oneof(fc.constant(''), fc.string(), fc.constantFrom('"', '\n', '\u2028', '\ud83d')),
      ),
      { maxLength: 12 },
    ),
    fc.constantFrom(...REASONS),
    fc.array(fc.boolean(), { minLength: 13, maxLength: 13 }),
  )
  .map(([tokens, finishReason, cuts]) => {
    const events: EngineEvent[] = tokens.flatMap(([tokenId, text], index): EngineEvent[] => [
      { type: 'token', seq: 0, index, tokenId, text },
      ...(text === ''
        ? []
        : [{ type: 'delta' as const, seq: 0, content: text, reasoning: '', toolCalls: [] }]),
    ]);
    events.push(doneEvent({ finishReason, promptTokens: 4, outputTokens: tokens.length }));
    const batches: EngineEvent[][] = [[]];
    events.forEach((event, i) => {
      batches.at(-1)?.push(event);
      if (cuts[i % cuts.length]) batches.push([]);
    });
    return { tokens, finishReason, batches };
  });

describe('any generation', () => {
  it('is an event for each token, then one end, and the same collected', () => {
    fc.assert(
      fc.property(generations, ({ tokens, finishReason, batches }) => {
        const encoder = new GenerateEncoder();
        const collector = new GenerateCollector();
        const payloads: string[] = [];
        for (const batch of batches) {
          payloads.push(...encoder.encode(batch));
          for (const event of batch) collector.push(event);
        }
        const events = payloads.map((payload) => generateEventSchema.parse(JSON.parse(payload)));
        const end = events.pop();
        if (end?.type !== 'done') throw new Error(`the last event is ${end?.type}`);
        expect(end.finish_reason).toBe(finishReason === 'length' ? 'length' : 'stop');
        expect(end.output_tokens).toBe(events.length);
        expect(events).toEqual(
          tokens.map(([token_id, text], index) => ({ type: 'token', index, token_id, text })),
        );
        const { type, ...ended } = end;
        expect(generateAnswerSchema.parse(collector.answer())).toEqual({
          token_ids: tokens.map(([id]) => id),
          text: tokens.map(([, text]) => text).join(''),
          ...ended,
        });
      }),
    );
  });
});

describe('a failure', () => {
  it('is one event, and the last', () => {
    const failed: EngineEvent = {
      type: 'error',
      seq: 0,
      code: 'out_of_memory',
      message: 'The KV cache is full.',
    };
    expect(new GenerateEncoder().encode([failed]).map((payload) => JSON.parse(payload))).toEqual([
      { type: 'error', code: 'out_of_memory', message: 'The KV cache is full.' },
    ]);
  });
});

describe('the events', () => {
  it('have no other fields', () => {
    const token = { type: 'token', index: 0, token_id: 5, text: '' };
    expect(generateEventSchema.safeParse(token).success).toBe(true);
    expect(generateEventSchema.safeParse({ ...token, logprob: 1 }).success).toBe(false);
    expect(generateEventSchema.safeParse({ ...token, type: 'ping' }).success).toBe(false);
    const error = { type: 'error', code: 'x', message: 'X.' };
    expect(generateEventSchema.safeParse({ ...error, status: 500 }).success).toBe(false);
    const done = JSON.parse(new GenerateEncoder().encode([doneEvent()]).join());
    expect(generateEventSchema.safeParse(done).success).toBe(true);
    expect(generateEventSchema.safeParse({ ...done, model: 'm' }).success).toBe(false);
  });

  it('have all of their fields, the times of the end among them', () => {
    const events: EngineEvent[] = [
      { type: 'token', seq: 0, index: 0, tokenId: 5, text: '' },
      doneEvent(),
      { type: 'error', seq: 0, code: 'engine_failed', message: 'X.' },
    ];
    for (const payload of new GenerateEncoder().encode(events)) {
      const event = JSON.parse(payload);
      for (const name of Object.keys(event)) {
        const { [name]: _, ...rest } = event;
        expect(generateEventSchema.safeParse(rest).success, name).toBe(false);
      }
    }
  });
});
