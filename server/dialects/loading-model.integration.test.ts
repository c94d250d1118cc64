// A model that loads for long.
import { afterEach, describe, expect, it } from 'vitest';
import type { InferenceChunk } from '../../protocol/inference.js';
import { LONG_CYCLE_TEXT } from '../../scripts/test-models/scripts.js';
import { payloads, startTestServer, type TestServer } from '../test-server.js';
import { ask, DIALECTS, readAll, readUntil } from './test-dialects.js';
import { holdBack } from './test-gate.js';

let test: TestServer | null = null;
afterEach(async () => {
  await test?.close();
  test = null;
});

const question = { text: 'Go.', maxTokens: 7, stream: true };

describe.each(Object.entries(DIALECTS))('%s', (_, dialect) => {
  it('is told that it lives, and then the answer', async () => {
    const gate = holdBack();
    test = await startTestServer({ models: ['scripted-long'], wrap: gate.wrap });
    // Headers, although nothing has been loaded yet.
    const response = await ask(test, dialect, { ...question, model: 'scripted-long' });
    expect(response.statusCode).toBe(200);
    const begin = dialect.keepAlive ? await readUntil(response, dialect.keepAlive) : '';
    gate.release();
    expect(dialect.streamed(begin + (await readAll(response)))).toBe(LONG_CYCLE_TEXT);
  });

  it('is told in the stream where it then cannot be loaded', async () => {
    const gate = holdBack();
    test = await startTestServer({ models: ['unknown-arch'], wrap: gate.wrap });
    const response = await ask(test, dialect, { ...question, model: 'unknown-arch' });
    expect(response.statusCode).toBe(200);
    gate.release();
    const bytes = await readAll(response);
    expect(bytes).toContain('martian');
    expect(() => dialect.streamed(bytes)).toThrow();
  });

  it('keeps nobody who has left', async () => {
    const gate = holdBack();
    test = await startTestServer({ models: ['scripted-long'], wrap: gate.wrap });
    const leaving = new AbortController();
    const asked = { ...question, model: 'scripted-long', stream: false };
    const first = ask(test, dialect, asked, leaving.signal);
    first.catch(() => {});
    await test.until(({ waiting }) => waiting === 1);
    leaving.abort();
    await test.idle();
    gate.release();
    const answer = await readAll(await ask(test, dialect, asked));
    expect(dialect.collected(answer)).toBe(LONG_CYCLE_TEXT);
  });
});

it('token ids: the prompt is counted in every chunk, although the stream began before it was', async () => {
  const gate = holdBack();
  test = await startTestServer({ models: ['scripted-long'], wrap: gate.wrap });
  const response = await test.post('/inference/v1/generate', {
    ...{ token_ids: [40, 41, 42], sampling_params: { max_tokens: 4, ignore_eos: true } },
    ...{ stream: true, stream_options: { include_usage: true, continuous_usage_stats: true } },
  });
  expect(response.status).toBe(200);
  gate.release();
  const chunks = payloads(await response.text()).slice(0, -1);
  const counts = chunks.map((payload) => (JSON.parse(payload) as InferenceChunk).usage);
  expect(counts.map((usage) => usage?.completion_tokens)).toEqual([1, 2, 3, 4, 4, 4]);
  expect(new Set(counts.map((usage) => usage?.prompt_tokens))).toEqual(new Set([3]));
});
