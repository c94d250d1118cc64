import { describe, expect, it } from 'vitest';
import type { EngineEvent } from '../../protocol/engine.js';
import { mergeGenerations } from './merge.js';
import { GenerationStream } from './stream.js';
import { doneEvent } from './test-generation.js';

const accepted = (promptTokens: number): EngineEvent => ({
  type: 'accepted',
  seq: 0,
  promptTokens,
});
const token = (seq: number, text: string): EngineEvent => ({
  type: 'token',
  seq,
  index: 0,
  tokenId: 1,
  text,
});
const done = (seq: number) => doneEvent({ seq });

describe('two generations of two choices each', () => {
  it('are four choices', async () => {
    const a = new GenerationStream(2);
    const b = new GenerationStream(2);
    const merged = mergeGenerations([a, b], 2);
    a.push([accepted(3)]);
    b.push([accepted(4)]);
    expect(await merged.accepted).toEqual({ promptTokens: 7 });
    b.push([token(0, 'b0'), token(1, 'b1'), done(0), done(1)]);
    a.push([token(1, 'a1'), done(1)]);
    a.push([token(0, 'a0'), done(0)]);
    const texts: Record<number, string> = {};
    let ends = 0;
    for await (const batch of merged.events) {
      for (const event of batch) {
        if (event.type === 'token') texts[event.seq] = event.text;
        else ends++;
      }
    }
    expect(texts).toEqual({ 0: 'a0', 1: 'a1', 2: 'b0', 3: 'b1' });
    expect(ends).toBe(4);
  });

  it('end with the first error, and are refused with the first refusal', async () => {
    const a = new GenerationStream();
    const b = new GenerationStream();
    const merged = mergeGenerations([a, b], 1);
    a.push([accepted(1), token(0, 'a')]);
    b.push([{ type: 'error', seq: 0, code: 'invalid_prompt', message: 'No.' }]);
    await expect(merged.accepted).rejects.toThrow('No.');
    const types: string[] = [];
    for await (const batch of merged.events) types.push(...batch.map(({ type }) => type));
    expect(types.at(-1)).toBe('error');
  });
});

it('one generation is itself', () => {
  const alone = new GenerationStream();
  expect(mergeGenerations([alone], 1)).toBe(alone);
});
