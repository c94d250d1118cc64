// A model that loads for long.
import { afterEach, describe, expect, it } from 'vitest';
import type { InferenceChunk } from '../../protocol/inference.js';
import { LONG_CYCLE_TEXT } from '../../scripts/test-models/scripts.js';
import type { EngineProcess } from '../engine/spawn.js';
import { payloads, startTestServer, type TestServer } from '../test-server.js';
import { ask, DIALECTS, readAll, readUntil } from './test-dialects.js';
import { ENDINGS, toldIn, withUsage } from './test-endings.js';
import { holdBack } from './test-gate.js';
import { Wiretap } from './test-wiretap.js';

let test: TestServer | null = null;
afterEach(async () => {
  await test?.close();
  test = null;
});

const question = { text: 'Go.', maxTokens: 7, stream: true };

/** Prompt tokens as any part of an answer counts them. */
const PROMPT_COUNTS = /"(?:prompt_tokens|input_tokens|prompt_eval_count)":(\d+)/g;

describe.each(Object.entries(DIALECTS))('%s', (name, dialect) => {
  it('is told that it lives, and then the answer, with a prompt that is counted late', async () => {
    const gate = holdBack();
    const tap = new Wiretap();
    const wrap = (engine: EngineProcess) => gate.wrap(tap.wrap(engine));
    test = await startTestServer({ models: ['scripted-long'], wrap });
    // Headers, although nothing has been loaded yet.
    const response = await ask(test, withUsage(name), { ...question, model: 'scripted-long' });
    expect(response.statusCode).toBe(200);
    const begin = dialect.keepAlive ? await readUntil(response, dialect.keepAlive) : '';
    gate.release();
    const bytes = begin + (await readAll(response));
    expect(dialect.streamed(bytes)).toBe(LONG_CYCLE_TEXT);

    const prompt = tap.ends()[0]?.promptTokens;
    const wanted = { prompt, output: question.maxTokens, reason: 'length' };
    expect(ENDINGS[name]?.ending(toldIn(bytes))).toEqual(wanted);
    const told = [...bytes.matchAll(PROMPT_COUNTS)].map(([, count]) => Number(count));
    expect(new Set(told)).toEqual(new Set([prompt]));
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
