import { describe, expect, it } from 'vitest';
import { type Measured, summarize } from './load-client.js';

const answer = (changes: Partial<Measured>): Measured => ({
  begunAt: 0,
  arrivals: [],
  endMs: 0,
  counts: null,
  failure: null,
  ...changes,
});

const failure = (message: string): Measured['failure'] => ({
  ...{ type: 'broken', message, status: 0, code: '', retryAfterMs: null },
});

describe('answers', () => {
  it('are summed up by what the server counted', () => {
    const answers = [
      answer({ arrivals: [10, 20, 40], counts: { prompt: 5, output: 4, cached: null } }),
      answer({ arrivals: [30, 40], counts: { prompt: 6, output: 2, cached: 0 } }),
    ];
    expect(summarize(answers, 500)).toEqual({
      requests: 2,
      failures: 0,
      failure: null,
      wallMs: 500,
      promptTokens: 11,
      outputTokens: 6,
      isEstimate: false,
      tokensPerSecond: 12,
      ttftMs: { p50: 20, p95: 29, max: 30 },
      itlMs: { p50: 10, p95: 19, max: 20 },
    });
  });

  it('without usage count by their events, which is an estimate', () => {
    const { outputTokens, isEstimate } = summarize([answer({ arrivals: [1, 2, 3] })], 1);
    expect([outputTokens, isEstimate]).toEqual([3, true]);
  });

  it('that failed are counted, and the first reason is kept', () => {
    const answers = [
      answer({}),
      answer({ failure: failure('a') }),
      answer({ failure: failure('b') }),
    ];
    expect(summarize(answers, 1)).toMatchObject({ failures: 2, failure: 'a' });
  });
});
