import { expect, it } from 'vitest';
import { matchingRows, type RequestRow } from './request-rows.js';

const row = (id: string, changes: Partial<RequestRow> = {}): RequestRow => ({
  ...{ id, model: 'guide', route: '/v1/chat/completions', client: 'curl/8', beganAt: 0 },
  ...{ stage: null, progress: null, ahead: null, cancelled: false, status: 200 },
  ...{ promptTokens: 1, outputTokens: 1, tokensPerSecond: 1, totalMs: 1 },
  ...{ isReplay: false, isInspected: true },
  ...changes,
});

it('rows are found by model, route, program and state', () => {
  const rows = [
    row('a'),
    row('b', { model: 'qwen', status: 404 }),
    row('c', { client: 'laptop', stage: 'prefill', status: null, route: '/v1/messages' }),
  ];
  const found = (words: string) => matchingRows(rows, words).map(({ id }) => id);
  expect(found('')).toEqual(['a', 'b', 'c']);
  expect(found('QWEN')).toEqual(['b']);
  expect(found('404')).toEqual(['b']);
  expect(found('laptop messages')).toEqual(['c']);
  expect(found('prefill')).toEqual(['c']);
  expect(found('guide 404')).toEqual([]);
});
