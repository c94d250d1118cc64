import { expect, test } from 'vitest';
import type { EngineEvent } from '../../protocol/engine.js';
import { GenerationError } from './generation.js';
import { GenerationStream } from './stream.js';
import { doneEvent } from './test-generation.js';

const token = (index: number): EngineEvent => ({
  type: 'token',
  seq: 1,
  index,
  tokenId: index,
  text: `t${index}`,
});

const done = doneEvent({ seq: 1, promptTokens: 3 });

async function collect(stream: GenerationStream): Promise<EngineEvent[]> {
  const events: EngineEvent[] = [];
  for await (const batch of stream.events) events.push(...batch);
  return events;
}

test('hands batches through and ends after the terminal event', async () => {
  const stream = new GenerationStream();
  let ends = 0;
  stream.onEnd = () => ends++;
  stream.push([{ type: 'accepted', seq: 1, promptTokens: 3 }]);
  expect(await stream.accepted).toEqual({ promptTokens: 3 });
  stream.push([token(0)]);
  stream.push([done]);
  stream.push([token(1)]);
  expect(await collect(stream)).toEqual([token(0), done]);
  expect(ends).toBe(1);
});

test('waits for events that come later', async () => {
  const stream = new GenerationStream();
  const collected = collect(stream);
  await Promise.resolve();
  stream.push([{ type: 'accepted', seq: 1, promptTokens: 3 }, token(0)]);
  await Promise.resolve();
  stream.push([done]);
  expect(await collected).toEqual([token(0), done]);
});

test('pauses its sequence while the reader is behind, and resumes it once', async () => {
  const stream = new GenerationStream();
  const pressure: boolean[] = [];
  stream.onPressure = (paused) => pressure.push(paused);
  stream.push([{ type: 'accepted', seq: 1, promptTokens: 3 }]);
  for (let i = 0; i < 100; i++) stream.push([token(i)]);
  expect(pressure).toEqual([true]);

  const reader = stream.events[Symbol.asyncIterator]();
  for (let i = 0; i < 90; i++) await reader.next();
  expect(pressure).toEqual([true, false]);
});

test('tells once that it has left the queue', () => {
  const stream = new GenerationStream();
  let told = 0;
  stream.onRunning = () => told++;
  stream.push([{ type: 'accepted', seq: 1, promptTokens: 9 }]);
  stream.push([{ type: 'progress', seq: 1, queued: 2, prefilled: 0, promptTokens: 9 }]);
  expect(told).toBe(0);
  stream.push([{ type: 'progress', seq: 1, queued: 0, prefilled: 4, promptTokens: 9 }]);
  expect(told).toBe(1);
  stream.push([token(0), token(1)]);
  expect(told).toBe(1);
});

test('hands on what is told of the prompt while it is computed', async () => {
  const stream = new GenerationStream();
  let told = 0;
  stream.onRunning = () => told++;
  const few = new Int32Array(1);
  const prompt: EngineEvent = {
    ...{ type: 'prompt-logprobs', seq: 1, first: 1, entries: few, tokenIds: few, ranks: few },
    ...{ logprobs: new Float32Array(1), namedIds: few, byteLengths: few, bytes: new Uint8Array() },
  };
  stream.push([{ type: 'accepted', seq: 1, promptTokens: 9 }]);
  stream.push([prompt, { type: 'progress', seq: 1, queued: 0, prefilled: 4, promptTokens: 9 }]);
  expect(told).toBe(1);
  expect(stream.progress()).toEqual({ stage: 'prefill', prefilled: 4, promptTokens: 9 });
  stream.push([token(0), done]);
  expect(await collect(stream)).toEqual([prompt, token(0), done]);
});

test('tells the stages before the first token', () => {
  const stream = new GenerationStream();
  stream.setProgress(() => ({ stage: 'loading', fraction: 0.5 }));
  expect(stream.progress()).toEqual({ stage: 'loading', fraction: 0.5 });
  stream.push([{ type: 'accepted', seq: 1, promptTokens: 9 }]);
  stream.push([{ type: 'progress', seq: 1, queued: 2, prefilled: 0, promptTokens: 9 }]);
  expect(stream.progress()).toEqual({ stage: 'queued', ahead: 2 });
  stream.push([{ type: 'progress', seq: 1, queued: 0, prefilled: 4, promptTokens: 9 }]);
  expect(stream.progress()).toEqual({ stage: 'prefill', prefilled: 4, promptTokens: 9 });
  stream.push([token(0)]);
  expect(stream.progress()).toBeNull();
});

test('a crash before acceptance rejects, after it is an error event', async () => {
  const early = new GenerationStream();
  early.cut('engine_crashed', 'gone');
  await expect(early.accepted).rejects.toMatchObject({ code: 'engine_crashed' });

  const late = new GenerationStream();
  late.push([{ type: 'accepted', seq: 1, promptTokens: 3 }, token(0)]);
  late.cut('engine_crashed', 'gone');
  expect((await collect(late)).at(-1)).toMatchObject({ type: 'error', code: 'engine_crashed' });
});

test('a cancel and a refusal before acceptance reject with their code', async () => {
  const cancelled = new GenerationStream();
  cancelled.cancel();
  await expect(cancelled.accepted).rejects.toMatchObject({ code: 'cancelled' });

  const refused = new GenerationStream();
  refused.refuse(new GenerationError('truncated', 'cut off'));
  refused.refuse(new GenerationError('load_failed', 'second'));
  await expect(refused.accepted).rejects.toMatchObject({ code: 'truncated' });
  // Its client's leaving may cross with it.
  refused.cancel();
  expect(await collect(refused)).toEqual([]);
});
