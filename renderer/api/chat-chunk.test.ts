import { describe, expect, it } from 'vitest';
import { readChunk, readProgress } from './chat-chunk.js';
import { ApiError } from './error.js';

const chunk = (choice: object, more: object = {}) =>
  JSON.stringify({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: null, ...choice }],
    ...more,
  });

describe('readChunk', () => {
  it('reads content and reasoning, and nothing from the role chunk', () => {
    expect(readChunk(chunk({ delta: { role: 'assistant', content: '' } }))).toEqual([]);
    expect(readChunk(chunk({ delta: { content: 'Hi' } }, { usage: null }))).toEqual([
      { type: 'delta', content: 'Hi', reasoning: '' },
    ]);
    expect(readChunk(chunk({ delta: { reasoning_content: 'Hm' } }))).toEqual([
      { type: 'delta', content: '', reasoning: 'Hm' },
    ]);
  });

  it('reads the finish chunk with timings, and the usage chunk', () => {
    const timings = { queue_ms: 0, prefill_ms: 5, ttft_ms: 12, total_ms: 90, tokens_per_s: 41.5 };
    expect(readChunk(chunk({ finish_reason: 'stop' }, { timings }))).toEqual([
      { type: 'finish', reason: 'stop' },
      { type: 'measure', measure: { tokensPerSecond: 41.5, firstTokenMs: 12 } },
    ]);
    const usage = { prompt_tokens: 3, completion_tokens: 7, total_tokens: 10 };
    expect(readChunk(JSON.stringify({ choices: [], usage }))).toEqual([
      { type: 'measure', measure: { tokens: 7 } },
    ]);
  });

  it('throws the error the server sends in mid-stream', () => {
    const data =
      '{"error":{"message":"It died.","type":"server_error","param":null,"code":"engine_crashed"}}';
    expect(() => readChunk(data)).toThrow(
      expect.objectContaining({ kind: 'broken', message: 'It died.', code: 'engine_crashed' }),
    );
  });

  it.each(['', '{', 'null', '[]', '{"choices":[{}]}', '{"choices":3}'])(
    'refuses %j in words',
    (data) => {
      expect(() => readChunk(data)).toThrow(ApiError);
    },
  );
});

describe('readProgress', () => {
  it.each([
    ['loading 42 %', { stage: 'loading', fraction: 0.42 }],
    ['loading 100 %', { stage: 'loading', fraction: 1 }],
    ['waiting for memory', { stage: 'memory' }],
    ['queued, 3 ahead', { stage: 'queued', ahead: 3 }],
    ['prefill 512/4096', { stage: 'prefill', done: 512, total: 4096 }],
    ['keep-alive', null],
    ['', null],
  ])('%j', (comment, expected) => {
    expect(readProgress(comment)).toEqual(expected);
  });
});
