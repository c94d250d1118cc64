// What users of other local servers have reported in public, each as a small input; the numbers only tell them apart.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LONG_CYCLE_TEXT } from '../../scripts/test-models/scripts.js';
import {
  contentOf,
  join,
  payloads,
  startTestServer,
  type TestServer,
  user,
} from '../test-server.js';

let test: TestServer;
beforeAll(async () => {
  test = await startTestServer({ models: ['scripted', 'scripted-long', 'random', 'broken-utf8'] });
});
afterAll(() => test.close());

describe('streams', () => {
  const request = { model: 'scripted', messages: [user('Hi.')], max_completion_tokens: 5 };

  it('B01, B02: finish_reason is in every choice, null until the end', async () => {
    const chunks = payloads(await test.streamed(request)).slice(0, -1);
    const reasons = chunks.map((chunk) => JSON.parse(chunk).choices[0].finish_reason);
    expect(reasons.slice(0, -1).every((reason) => reason === null)).toBe(true);
    expect(reasons.at(-1)).toBe('length');
  });

  it('B03: the finish chunk comes after all text, with an empty delta', async () => {
    const text = await test.streamed(request);
    const last = JSON.parse(payloads(text).at(-2) ?? '');
    expect(last.choices[0].delta).toEqual({});
    expect(join(text).content).toBe('Hello! This answer was');
  });

  it('B04: usage has a chunk of its own, right before [DONE]', async () => {
    const text = await test.streamed({ ...request, stream_options: { include_usage: true } });
    const [usage, done] = payloads(text).slice(-2);
    expect(done).toBe('[DONE]');
    expect(JSON.parse(usage ?? '')).toMatchObject({
      choices: [],
      usage: { completion_tokens: 5, total_tokens: expect.any(Number) },
    });
    for (const chunk of payloads(text).slice(0, -2)) expect(JSON.parse(chunk).usage).toBeNull();
  });

  it('B08: bytes that are no UTF-8 do not break the text; streamed and collected are the same', async () => {
    for (const model of ['broken-utf8', 'random']) {
      const same = { model, messages: [user('Emoji, please.')], seed: 7, max_tokens: 200 };
      const text = join(await test.streamed(same)).content;
      expect(text).toBe(contentOf(await test.answer(same)));
      expect(text).not.toBe('');
      if (model === 'broken-utf8') expect(text).toContain('Café in 漢字 is 😀');
    }
  });

  it('B13: the role chunk has empty text, and every event ends with a blank line', async () => {
    const text = await test.streamed(request);
    expect(text).toMatch(/^(data: (\{.*\}|\[DONE\])\n\n)+$/);
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    const first = JSON.parse(payloads(text)[0] ?? '');
    expect(first.choices[0].delta).toEqual({ role: 'assistant', content: '' });
  });

  it('B14: headers are there before the first token', async () => {
    // Resolves with the headers; the endless text has hardly begun.
    const response = await test.chat({ ...request, model: 'scripted-long', stream: true });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-cache, no-transform');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    await response.text();
  });

  it('B17: one id, one created and one model in all chunks', async () => {
    const chunks = payloads(await test.streamed(request)).slice(0, -1);
    const heads = chunks.map((chunk) => {
      const { id, created, model, object } = JSON.parse(chunk);
      return JSON.stringify({ id, created, model, object });
    });
    expect(new Set(heads).size).toBe(1);
    expect(heads[0]).toContain('"chat.completion.chunk"');
  });
});

describe('stop strings', () => {
  const request = { model: 'scripted-long', messages: [user('Go.')], max_tokens: 40 };

  it('B10: cut exactly before the text, also over token borders and inside a token', async () => {
    // The model writes "alpha beta gamma delta " in pieces that cross the words' borders.
    for (const stop of ['beta gamma', ['zzz', 'beta gamma'], 'eta', 'beta gamma delta alpha b']) {
      const wanted = LONG_CYCLE_TEXT.repeat(9).split([stop].flat().at(-1) ?? '')[0];
      const text = await test.streamed({ ...request, stop });
      expect(join(text)).toMatchObject({ content: wanted, finishReason: 'stop' });
      expect(contentOf(await test.answer({ ...request, stop }))).toBe(wanted);
    }
  });

  it('B11: a beginning that turns out to be none is sent after all', async () => {
    const stop = ['alpha beta gamma delta omega'];
    const free = contentOf(await test.answer(request));
    const text = join(await test.streamed({ ...request, stop }));
    expect(text).toMatchObject({ content: free, finishReason: 'length' });
    expect(contentOf(await test.answer({ ...request, stop }))).toBe(free);
  });
});
