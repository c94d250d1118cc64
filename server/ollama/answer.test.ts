import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EngineEvent, ToolCallDelta } from '../../protocol/engine.js';
import {
  type OllamaChatChunk,
  ollamaChatChunkSchema,
  ollamaGenerateChunkSchema,
} from '../../protocol/ollama.js';
import { doneEvent } from '../generation/test-generation.js';
import { type AnswerHeader, chatShape, generateShape, LineEncoder, WholeAnswer } from './answer.js';

const HEADER: AnswerHeader = {
  model: 'tést "模型":latest',
  shape: chatShape,
  plain: false,
  now: () => '2026-11-30T12:00:00.000Z',
  loadMs: () => 2,
};
const done = doneEvent({
  promptTokens: 10,
  outputTokens: 3,
  timings: { ...doneEvent().timings, queueMs: 1, prefillMs: 4, ttftMs: 6, totalMs: 15.5 },
});
const token = (text: string): EngineEvent => ({
  type: 'token',
  seq: 0,
  index: 0,
  tokenId: 7,
  text,
});
const delta = (content: string, reasoning = '', toolCalls: ToolCallDelta[] = []): EngineEvent => ({
  ...{ type: 'delta', seq: 0, content, reasoning, toolCalls },
});
const lines = (batches: EngineEvent[][], header = HEADER): OllamaChatChunk[] => {
  const encoder = new LineEncoder(header);
  return batches.flatMap((batch) => encoder.encode(batch)).map((line) => JSON.parse(line));
};
const whole = (events: EngineEvent[], header = HEADER): OllamaChatChunk => {
  const answer = new WholeAnswer(header);
  for (const event of events) answer.push(event);
  return answer.object() as OllamaChatChunk;
};
const METRICS = {
  done_reason: 'stop',
  total_duration: 17_500_000,
  load_duration: 2_000_000,
  prompt_eval_count: 10,
  prompt_eval_duration: 4_000_000,
  eval_count: 3,
  eval_duration: 10_500_000,
};
const HEAD = { model: HEADER.model, created_at: '2026-11-30T12:00:00.000Z' };

describe('a chat', () => {
  it('has a line for each delta, and the metrics in the last', () => {
    expect(lines([[token('Hé'), delta('Hé')], [token('')], [delta('"\n', 'why'), done]])).toEqual([
      { ...HEAD, message: { role: 'assistant', content: 'Hé' }, done: false },
      { ...HEAD, message: { role: 'assistant', content: '"\n', thinking: 'why' }, done: false },
      { ...HEAD, message: { role: 'assistant', content: '' }, done: true, ...METRICS },
    ]);
  });

  it('gives calls whole, each once another one or the end has come', () => {
    const calls = lines([
      [delta('', '', [{ index: 0, id: 'x', name: 'weather', arguments: '' }])],
      [delta('', '', [{ index: 0, arguments: '{"city":' }])],
      [
        delta('', '', [
          { index: 0, arguments: '"Rome"}' },
          { index: 1, id: 'y', name: 'now', arguments: '' },
        ]),
      ],
      [{ ...done, finishReason: 'tool_calls' }],
    ]);
    expect(calls.map(({ message }) => message.tool_calls)).toEqual([
      [{ function: { name: 'weather', arguments: { city: 'Rome' } } }],
      [{ function: { name: 'now', arguments: {} } }],
      undefined,
    ]);
    expect(calls.at(-1)?.done_reason).toBe('stop');
  });

  it('leaves out a call that the limit of tokens cut off, and says that there was a limit', () => {
    const events = [
      delta('', '', [{ index: 0, id: 'x', name: 'weather', arguments: '{"city":"Ro' }]),
      { ...done, finishReason: 'length' as const },
    ];
    expect(lines([events])).toMatchObject([{ done: true, done_reason: 'length' }]);
    expect(whole(events).message).toEqual({ role: 'assistant', content: '' });
  });

  it('tells an error in mid-stream as a line of its own', () => {
    const error = { type: 'error', seq: 0, code: 'engine_crashed', message: 'It ended.' } as const;
    expect(lines([[error]])).toEqual([{ error: 'It ended.' }]);
  });
});

it('a prompt without a chat has its text in the tokens', () => {
  const header = { ...HEADER, shape: generateShape, plain: true };
  const events = [token('a'), delta('a'), token(''), token('b'), delta('b'), done];
  expect(lines([events], header)).toEqual([
    { ...HEAD, response: 'a', done: false },
    { ...HEAD, response: 'b', done: false },
    { ...HEAD, response: '', done: true, ...METRICS },
  ]);
  expect(whole(events, header)).toEqual({ ...HEAD, response: 'ab', done: true, ...METRICS });
});

describe('whatever an answer is and however it is cut', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 12 });
  const args = fc.dictionary(text, fc.oneof(text, fc.integer(), fc.boolean()), { maxKeys: 3 });
  /** A call's pieces: the name first, then its arguments, cut anywhere. */
  const call = fc.tuple(args, fc.array(fc.nat(40), { maxLength: 3 }));
  const likely = (event: EngineEvent): EngineEvent =>
    event.type === 'token'
      ? { ...event, logprobs: [{ tokenId: 7, logprob: -1, bytes: new TextEncoder().encode('x') }] }
      : event;

  function pieces(index: number, value: object, cuts: readonly number[]): ToolCallDelta[] {
    const json = JSON.stringify(value);
    const at = [0, ...cuts.map((cut) => Math.min(cut, json.length)), json.length];
    at.sort((a, b) => a - b);
    return [
      { index, id: `id${index}`, name: `tool${index}`, arguments: '' },
      ...at.slice(1).map((end, i) => ({ index, arguments: json.slice(at[i], end) })),
    ];
  }

  it('the joined lines are the whole answer', () => {
    const answer = fc.record({
      steps: fc.array(fc.tuple(text, text, fc.boolean()), { maxLength: 12 }),
      calls: fc.array(call, { maxLength: 3 }),
      batch: fc.integer({ min: 1, max: 5 }),
    });
    fc.assert(
      fc.property(answer, ({ steps, calls, batch }) => {
        const events = [
          ...steps.flatMap(([content, reasoning, held]) => [
            likely(token(content)),
            ...(held ? [] : [delta(content, reasoning)]),
          ]),
          ...calls.flatMap(([value, cuts], i) =>
            pieces(i, value, cuts).map((piece) => delta('', '', [piece])),
          ),
          done,
        ];
        const batches: EngineEvent[][] = [];
        for (let i = 0; i < events.length; i += batch) batches.push(events.slice(i, i + batch));
        const told = lines(batches);
        const collected = whole(events);
        for (const line of told) ollamaChatChunkSchema.strict().parse(line);
        ollamaChatChunkSchema.strict().parse(collected);
        const join = (pick: (line: OllamaChatChunk) => string | undefined) =>
          told.map((line) => pick(line) ?? '').join('');
        expect(join(({ message }) => message.content)).toBe(collected.message.content);
        expect(join(({ message }) => message.thinking)).toBe(collected.message.thinking ?? '');
        expect(told.flatMap(({ message }) => message.tool_calls ?? [])).toEqual(
          collected.message.tool_calls ?? [],
        );
        expect(collected.message.tool_calls ?? []).toEqual(
          calls.map(([value], i) => ({
            function: { name: `tool${i}`, arguments: JSON.parse(JSON.stringify(value)) },
          })),
        );
        expect(told.flatMap(({ logprobs }) => logprobs ?? [])).toEqual(collected.logprobs ?? []);
        expect(collected.logprobs ?? []).toHaveLength(steps.length);
        expect(told.filter((line) => line.done)).toHaveLength(1);
        const { message: _1, logprobs: _2, ...end } = told.at(-1) as OllamaChatChunk;
        const { message: _3, logprobs: _4, ...same } = collected;
        expect(end).toEqual(same);
      }),
    );
  });

  it('a line is one line', () => {
    fc.assert(
      fc.property(fc.array(text), (parts) => {
        const encoder = new LineEncoder({ ...HEADER, shape: generateShape });
        const told = encoder.encode([...parts.map((part) => delta(part)), done]);
        expect(told.every((line) => !line.includes('\n'))).toBe(true);
        const chunks = told.map((line) =>
          ollamaGenerateChunkSchema.strict().parse(JSON.parse(line)),
        );
        expect(chunks.map(({ response }) => response).join('')).toBe(parts.join(''));
      }),
    );
  });
});
