// The inspector on a real server with real models, as the person at the machine uses it.
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { completionSchema } from '../../protocol/completions.js';
import {
  applyTemplateAnswerSchema,
  detokenizeAnswerSchema,
  tokenizeAnswerSchema,
} from '../../protocol/tokens.js';
import {
  SCRIPTED_SENTENCE,
  THINKING_ANSWER,
  THINKING_TEXT,
} from '../../scripts/test-models/scripts.js';
import { addKey } from '../store/key-file.js';
import { failure, putCurrentModel, type TestServer, user } from '../test-server.js';
import { inspectedServers } from './test-inspector.js';

const start = inspectedServers();

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** The body of an answer, as the schema has it. */
const read = async <Schema extends z.ZodType>(schema: Schema, response: Promise<Response>) =>
  schema.parse(await (await response).json());

describe('a request that is kept', () => {
  it('has its prompt as the model read it, and all that became of it', async () => {
    const { test, inspector } = await start();
    expect((await inspector.switch(true)).keep).toBe(50);
    const messages = [user('Wie geht’s, 模型?')];
    const before = Date.now();
    const response = await test.chat(
      { messages, stream: true, temperature: 0, seed: 3, foo: 1 },
      { headers: { 'content-type': 'application/json', 'user-agent': 'robot/1' } },
    );
    const bytes = Buffer.byteLength(await response.text());
    const detail = await inspector.last();

    const { prompt, count } = await read(
      applyTemplateAnswerSchema,
      test.post('/apply-template', { messages }),
    );
    const { tokens } = await read(
      tokenizeAnswerSchema,
      test.post('/tokenize', { content: prompt, add_special: true, parse_special: true }),
    );
    expect(detail.prompts).toEqual([{ text: prompt, token_ids: tokens }]);
    expect(prompt).toContain('Wie geht’s, 模型?');
    expect(detail).toMatchObject({
      id: response.headers.get('x-pilotlight-receipt'),
      request_id: response.headers.get('x-request-id'),
      ...{ client: 'robot/1', is_owner: false, route: '/v1/chat/completions', model: 'scripted' },
      ...{ replay_of: null, live: null, ignored: ['foo'], refusal: null, left_out: [] },
      body: { messages, stream: true, temperature: 0, seed: 3, foo: 1 },
      parameters: { prompt: 'chat', temperature: 0, seed: 3, top_k: null, n: 1 },
      end: {
        ...{ status: 200, complete: true, finish_reason: 'eog', error_code: null },
        ...{ prompt_tokens: count, cached_tokens: 0, output_tokens: 22, error_message: null },
      },
    });
    expect(detail.began_at).toBeGreaterThanOrEqual(before);
    expect(detail.end?.timings?.ttft_ms).toBeGreaterThan(0);
    expect(detail.end?.total_ms).toBeGreaterThanOrEqual(detail.end?.timings?.ttft_ms ?? 0);

    const [answer, ...others] = detail.answers;
    expect([answer?.text, others]).toEqual([SCRIPTED_SENTENCE, []]);
    const { content } = await read(
      detokenizeAnswerSchema,
      test.post('/detokenize', { tokens: answer?.token_ids }),
    );
    expect(content.trim()).toBe(SCRIPTED_SENTENCE);
    expect(answer?.token_ids).toHaveLength(22);
    expect(sum(detail.timeline.map(([, tokens]) => tokens))).toBe(22);
    expect(sum(detail.timeline.map(([, , sent]) => sent))).toBe(bytes);
  });

  it('is there while it runs, and after its model has gone', async () => {
    const { test, inspector } = await start({ models: ['slow', 'scripted'] });
    await inspector.switch(true);
    const running = await test.chat({ messages: [user('Go.')], stream: true });
    const { id } = await inspector.live('running');
    const seen = await inspector.detail(id);
    expect(seen).toMatchObject({ end: null, live: { stage: 'running', inspected: true } });
    expect(seen.prompts[0]?.text).toContain('Go.');
    await inspector.cancel(id);
    expect(await running.text()).toContain('request_cancelled');
    await test.idle();

    await putCurrentModel(test, { model: 'scripted' });
    await rm(path.join(test.modelsDir, 'slow.gguf'));
    await test.until(({ models }) => models.length === 1);
    const detail = await inspector.detail(id);
    expect(detail.end).toMatchObject({
      finish_reason: 'cancelled',
      error_code: 'request_cancelled',
    });
    expect(detail.end?.output_tokens).toBe(detail.answers[0]?.token_ids.length);
    expect(detail.prompts).toEqual(seen.prompts);
  });

  it('shows reasoning and calls as the model wrote them', async () => {
    const { test, inspector } = await start({ models: ['thinking'] });
    await inspector.switch(true);
    await test.answer({ messages: [user('Hi.')] });
    const [answer] = (await inspector.last()).answers;
    expect(answer?.text).toContain(THINKING_TEXT);
    expect(answer?.text).toContain(THINKING_ANSWER);
    expect(answer?.text).toContain('</think>');
  });

  it('has each prompt once and each choice of each', async () => {
    const { test, inspector } = await start();
    await inspector.switch(true);
    const body = { prompt: ['One', 'Two'], n: 2, max_tokens: 3, temperature: 0 };
    const { choices } = await read(completionSchema, test.post('/v1/completions', body));
    const detail = await inspector.last();
    expect(detail.prompts.map(({ text }) => text)).toEqual(['One', 'Two']);
    expect(detail.answers.map(({ text }) => text)).toEqual(choices.map(({ text }) => text));
    expect(detail.answers.map(({ token_ids }) => token_ids.length)).toEqual([3, 3, 3, 3]);
  });

  it('has no text for a prompt of token ids', async () => {
    const { test, inspector } = await start();
    await inspector.switch(true);
    await test.post('/v1/generate', { token_ids: [40, 41], max_tokens: 1 });
    const { prompts, parameters } = await inspector.last();
    expect(prompts).toEqual([{ text: null, token_ids: [40, 41] }]);
    expect(parameters).toMatchObject({ prompt: 'tokens', chat: null });
  });

  it('may be one where nothing is generated, or nothing was understood', async () => {
    const { test, inspector } = await start({ models: ['embed'], config: { model: null } });
    await inspector.switch(true);
    await test.post('/v1/embeddings', { input: 'Hi.' });
    expect(await inspector.last()).toMatchObject({
      ...{ body: { input: 'Hi.' }, model: 'embed', parameters: null, prompts: [], answers: [] },
      end: { status: 200, finish_reason: null, output_tokens: 0 },
    });
    await test.post('/v1/chat/completions', { messages: [] });
    const refused = await inspector.last();
    expect(refused).toMatchObject({
      ...{ body: { messages: [] }, model: null },
      end: { status: 400, complete: true },
    });
    expect(JSON.parse(refused.refusal ?? '').error.param).toBe('messages');

    const headers = { 'content-type': 'application/json' };
    await test.post('/v1/chat/completions', null, { headers, body: '{"messages"' });
    const broken = await inspector.last();
    expect(broken).toMatchObject({ body: null, end: { error_code: 'invalid_json' } });
    for (const [route, method] of [
      ['replay', 'POST'],
      ['snippets', 'GET'],
    ] as const) {
      const told = await failure(
        await inspector.ask(`/requests/${broken.id}/${route}`, { method }),
      );
      expect([told.status, told.message]).toEqual([409, expect.stringContaining('was no JSON')]);
    }
  });
});

describe('what is kept', () => {
  const SECRET = 'Nobody-but-me-knows-this';

  /** Files of the data folder, models left out, that hold a text. */
  async function filesWith({ dataDir, modelsDir }: TestServer, text: string): Promise<string[]> {
    const found = await readdir(dataDir, { recursive: true, withFileTypes: true });
    const files = found
      .filter((entry) => entry.isFile() && !entry.parentPath.startsWith(modelsDir))
      .map((entry) => path.join(entry.parentPath, entry.name));
    const texts = await Promise.all(files.map((file) => readFile(file, 'latin1')));
    return files.filter((_, i) => texts[i]?.includes(text));
  }

  it('is nothing, unless the inspector is on; and then only in memory', async () => {
    const { test, inspector } = await start();
    const ask = () => test.answer({ messages: [user(SECRET)] });
    await ask();
    expect(await inspector.state()).toMatchObject({ enabled: false, bytes: 0, kept: [] });
    await inspector.switch(true);
    await ask();
    const { id, prompts } = await inspector.last();
    expect(prompts[0]?.text).toContain(SECRET);
    expect(JSON.stringify(await inspector.state())).not.toContain(SECRET);
    const { headers } = await inspector.ask(`/requests/${id}`);
    expect(headers.get('cache-control')).toBe('no-store');

    expect(await inspector.switch(false)).toMatchObject({ enabled: false, bytes: 0, kept: [] });
    const told = await failure(await inspector.ask(`/requests/${id}`));
    expect([told.status, told.message]).toEqual([404, expect.stringContaining('is off')]);
    expect((await inspector.switch(true)).kept).toEqual([]);
    expect((await failure(await inspector.ask(`/requests/${id}`))).status).toBe(404);
    await ask();
    const { dataDir } = test;
    await test.stop();
    for (const text of [SECRET, SCRIPTED_SENTENCE]) expect(await filesWith(test, text)).toEqual([]);

    const again = await start({ dataDir });
    expect(await again.inspector.state()).toMatchObject({ enabled: false, kept: [] });
  });

  it('is the last N', async () => {
    const { test, inspector } = await start();
    await inspector.switch(true, 2);
    for (const content of ['1', '2', '3']) {
      await test.answer({ messages: [user(content)], max_tokens: 1 });
    }
    const { kept } = await inspector.state();
    const bodies = await Promise.all(kept.map(async ({ id }) => (await inspector.detail(id)).body));
    expect(bodies).toMatchObject([{ messages: [user('2')] }, { messages: [user('3')] }]);
  });

  it.each([
    {},
    { enabled: 1 },
    { enabled: true, keep: 0 },
    { enabled: true, keep: 1e9 },
    { on: true },
  ])('is not decided by %j', async (body) => {
    const { inspector } = await start({ models: [] });
    const init = { method: 'PUT', body: JSON.stringify(body) };
    expect((await failure(await inspector.ask('/switch', init))).status).toBe(400);
    expect(await inspector.state()).toMatchObject({ enabled: false, keep: 50 });
  });
});

describe('the list of what runs', () => {
  it('is there while the inspector is off, with places in the queue, and without a text', async () => {
    const { test, inspector } = await start({
      models: ['slow'],
      config: { parallel: 1 },
    });
    await addKey(test.dataDir, 'laptop');
    const key = await addKey(test.dataDir, 'agent');
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
    const leaving = new AbortController();
    for (let i = 0; i < 3; i++) {
      const body = { messages: [user('secret words')], stream: true };
      test.chat(body, { headers, signal: leaving.signal }).catch(() => {});
      await inspector.live(i === 0 ? 'running' : 'queued');
    }
    const state = await inspector.until(({ live }) => (live[0]?.tokens_per_s ?? 0) > 0);
    expect(state.enabled).toBe(false);
    const common = { client: 'agent', model: 'slow', route: '/v1/chat/completions' };
    expect(state.live).toMatchObject([
      { ...common, stage: 'running', inspected: false },
      { ...common, stage: 'queued', ahead: 0 },
      { ...common, stage: 'queued', ahead: 1 },
    ]);
    expect(state.live[0]?.output_tokens).toBeGreaterThan(1);
    expect(JSON.stringify(state)).not.toContain('secret');
    leaving.abort();
    await test.idle();
  });
});
