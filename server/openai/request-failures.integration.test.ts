// What users of other local servers have reported in public, each as a small input; the numbers only tell them apart.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCRIPTED_SENTENCE } from '../../scripts/test-models/scripts.js';
import { wiredModel } from '../../scripts/test-models/wired-model.js';
import {
  chunksOf,
  contentOf,
  failure,
  join,
  startTestServer,
  type TestServer,
  user,
} from '../test-server.js';

/** As some models have it: no system role, and strict turns. */
const STRICT_TEMPLATE = String.raw`{%- for message in messages %}
{%- if (message.role == 'user') != (loop.index0 % 2 == 0) %}
{{- raise_exception('Roles must alternate: user, assistant, user, ...') }}
{%- endif %}
{{- '<|im_start|>' ~ message.role ~ '\n' ~ message.content ~ '<|im_end|>\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
{{- '<|im_start|>assistant\n' }}
{%- endif %}`;

let test: TestServer;
beforeAll(async () => {
  // B56: all of this runs in a folder with spaces and letters beyond ASCII.
  test = await startTestServer({
    models: ['scripted', 'scripted-long', 'random'],
    folder: 'tést 模型 dir',
  });
  const strict = wiredModel({
    name: 'strict',
    chains: [{ pieces: ['Fine', '.'], ending: 'turn-end', start: 'always' }],
    template: STRICT_TEMPLATE,
  });
  await writeFile(path.join(test.modelsDir, 'strict 模型.gguf'), strict);
  await test.until(({ models }) => models.some(({ id }) => id === 'strict 模型'));
});
afterAll(() => test.close());

describe('messages', () => {
  const tokens = async (messages: object[], model = 'scripted') =>
    (await test.answer({ model, messages, max_tokens: 1 })).usage.prompt_tokens;

  it('B35: system and developer messages anywhere are one system message at the start', async () => {
    const mixed = [
      { role: 'system', content: 'One.' },
      user('Hi.'),
      { role: 'developer', content: 'Two.' },
      user('So?'),
    ];
    const merged = [{ role: 'system', content: 'One.\n\nTwo.' }, user('Hi.'), user('So?')];
    expect(await tokens(mixed)).toBe(await tokens(merged));
  });

  it('B36: a template without a system role still gets to know it', async () => {
    const model = 'strict 模型';
    const messages = [{ role: 'system', content: 'Be kind.' }, user('Hi.')];
    expect(contentOf(await test.answer({ model, messages }))).toBe('Fine.');
    expect(await tokens(messages, model)).toBeGreaterThan(await tokens([user('Hi.')], model));
  });

  it('B36: where a template refuses, the error says so in JSON', async () => {
    const messages = [user('Hi.'), user('Hello?')];
    const told = await failure(await test.chat({ model: 'strict 模型', messages, stream: true }));
    expect(told).toMatchObject({ status: 400, param: 'messages', code: 'template_failed' });
    expect(told.message).toContain('Roles must alternate');
  });

  it('B37: text parts are as good as a string; an image is refused by its place', async () => {
    const part = (text: string) => ({ type: 'text', text });
    const asParts = [{ role: 'system', content: [part('One.'), part('Two.')] }, user('Hi.')];
    const asString = [{ role: 'system', content: 'One.\nTwo.' }, user('Hi.')];
    expect(await tokens(asParts)).toBe(await tokens(asString));
    const url = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=';
    const image = { role: 'user', content: [{ type: 'image_url', image_url: { url } }] };
    const told = await failure(await test.chat({ messages: [image] }));
    expect(told).toMatchObject({ status: 400, param: 'messages[0].content[0].type' });
  });
});

describe('parameters', () => {
  const request = { model: 'random', messages: [user('Hi.')], max_tokens: 24 };

  it('B39: reaching the limit is "length", streamed or not', async () => {
    const short = { ...request, model: 'scripted-long', max_tokens: 8 };
    expect((await test.answer(short)).choices[0]?.finish_reason).toBe('length');
    expect(join(await test.streamed(short)).finishReason).toBe('length');
    expect((await test.answer(short)).usage.completion_tokens).toBe(8);
  });

  it('B41: a seed decides the text', async () => {
    const say = async (seed: number) =>
      contentOf(await test.answer({ ...request, seed, temperature: 1 }));
    expect(await say(42)).toBe(await say(42));
    expect(await say(-1)).toBe(await say(-1));
    expect(await say(43)).not.toBe(await say(42));
  });

  it('B44: logprobs are there, streamed or not, and the same', async () => {
    const likely = { ...request, temperature: 0, logprobs: true, top_logprobs: 2 };
    const { choices, usage } = await test.answer(likely);
    const content = choices[0]?.logprobs?.content ?? [];
    expect(content).toHaveLength(usage.completion_tokens);
    for (const { logprob, top_logprobs } of content) {
      expect(top_logprobs).toHaveLength(2);
      // Greedy: the token itself is the most likely one.
      expect(logprob).toBe(top_logprobs[0]?.logprob);
    }
    const chunks = chunksOf(await test.streamed(likely));
    const streamed = chunks.flatMap((chunk) => chunk.choices[0]?.logprobs?.content ?? []);
    expect(streamed.map(({ bytes }) => bytes)).toEqual(content.map(({ bytes }) => bytes));
    expect(await failure(await test.chat({ ...request, top_logprobs: 2 }))).toMatchObject({
      status: 400,
      param: 'top_logprobs',
    });
  });

  it('n gives so many answers to a prompt that is counted once', async () => {
    const several = { ...request, n: 3, temperature: 1.5, max_tokens: 12 };
    const { choices, usage } = await test.answer(several);
    expect(choices.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(new Set(choices.map(({ message }) => message.content)).size).toBeGreaterThan(1);
    const alone = await test.answer({ ...several, n: 1 });
    expect(usage.prompt_tokens).toBe(alone.usage.prompt_tokens);
    expect(usage.completion_tokens).toBeGreaterThan(alone.usage.completion_tokens);

    const asked = { ...several, stream_options: { include_usage: true } };
    const chunks = chunksOf(await test.streamed(asked));
    for (const index of [0, 1, 2]) {
      const own = chunks.flatMap((chunk) => chunk.choices.filter((c) => c.index === index));
      expect(own[0]?.delta.role).toBe('assistant');
      expect(own.filter(({ finish_reason }) => finish_reason !== null)).toHaveLength(1);
    }
    expect(chunks.at(-1)?.usage?.prompt_tokens).toBe(usage.prompt_tokens);
  });

  it('B45: logit_bias bans and forces tokens of this model, and refuses others', async () => {
    const scripted = { model: 'scripted', messages: [user('Hi.')], max_tokens: 1 };
    const free = contentOf(await test.answer(scripted));
    const forced = contentOf(
      await test.answer({ ...request, max_tokens: 3, logit_bias: { 300: 100 } }),
    );
    // The same token three times.
    expect(forced).toBe((forced ?? '').slice(0, (forced ?? '').length / 3).repeat(3));
    expect(SCRIPTED_SENTENCE.startsWith(free ?? '?')).toBe(true);
    for (const logit_bias of [{ 99999999: 1 }, { x: 1 }, { 5: 101 }]) {
      const told = await failure(await test.chat({ ...scripted, logit_bias }));
      expect(told).toMatchObject({ status: 400, param: 'logit_bias' });
    }
  });

  it('B46: null means the default', async () => {
    const nulls = Object.fromEntries(
      ['stop', 'n', 'seed', 'max_completion_tokens', 'logit_bias', 'stream', 'tools'].map(
        (name) => [name, null],
      ),
    );
    const scripted = { ...nulls, model: null, messages: [user('Hi.')], temperature: null };
    expect(contentOf(await test.answer({ ...scripted, max_tokens: null }))).toBe(SCRIPTED_SENTENCE);
  });

  it('lists what nobody knows in a header, and nothing else there', async () => {
    const odd = await test.chat({ ...request, foo: 1, user: 'me', stream: true });
    expect(odd.headers.get('x-pilotlight-ignored')).toBe('foo');
    await odd.text();
    const plain = await test.chat({ ...request, user: 'me' });
    expect(plain.headers.get('x-pilotlight-ignored')).toBeNull();
  });
});

describe('cancelling', () => {
  it('B51: a queued request whose client has left never runs', async () => {
    const one = await startTestServer({
      models: ['scripted-long'],
      config: { parallel: 1, contextLength: 4096 },
    });
    try {
      const request = { messages: [user('Go.')], stream: true };
      const a = new AbortController();
      const b = new AbortController();
      const first = await one.chat(request, { signal: a.signal });
      await one.until(({ running }) => running === 1);
      const second = one.chat(request, { signal: b.signal });
      await one.until(({ waiting }) => waiting === 1);
      b.abort();
      await (await second.catch(() => null))?.text().catch(() => {});
      await one.until(({ running, waiting }) => running === 1 && waiting === 0);
      const third = one.chat({ ...request, max_tokens: 3 });
      await one.until(({ waiting }) => waiting === 1);
      a.abort();
      await first.text().catch(() => {});
      expect(join(await (await third).text())).toMatchObject({ finishReason: 'length' });
      await one.idle();
    } finally {
      await one.close();
    }
  });
});
