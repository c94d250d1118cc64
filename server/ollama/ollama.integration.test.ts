// Models, vectors, refusals and oddities: the official client and plain sockets against the real server.
import { Ollama } from 'ollama';
import { describe, expect, it } from 'vitest';
import {
  ollamaChatChunkSchema,
  ollamaEmbedAnswerSchema,
  ollamaGenerateChunkSchema,
  ollamaProgressSchema,
  ollamaPsSchema,
  ollamaShowSchema,
  ollamaTagsSchema,
  ollamaVersionSchema,
} from '../../protocol/ollama.js';
import { SCRIPTED_SENTENCE } from '../../scripts/test-models/scripts.js';
import { isLoaded, startTestServer, user } from '../test-server.js';
import { ollamaServer, refusal } from './test-ollama.js';

const { test, client, post } = ollamaServer([
  'scripted',
  'scripted-long',
  'thinking',
  'toolcall',
  'random',
  'embed',
]);

describe('a model', () => {
  it('is loaded by an empty request, and leaves with a keep_alive of 0', async () => {
    expect(await client().generate({ model: 'random', prompt: '' })).toMatchObject({
      ...{ model: 'random', response: '', done: true, done_reason: 'load' },
    });
    const running = async () => (await client().ps()).models.map(({ name }) => name);
    expect(await running()).toContain('random');
    expect(await client().chat({ model: 'random', messages: [], keep_alive: 0 })).toMatchObject({
      ...{ message: { role: 'assistant', content: '' }, done: true, done_reason: 'unload' },
    });
    expect(await running()).not.toContain('random');
    const asked = { model: 'random', messages: [user('Hi.')], options: { num_predict: 4 } };
    const { eval_count } = await client().chat({ ...asked, keep_alive: '0s' });
    expect(eval_count).toBe(4);
    await test().until((state) => !isLoaded('random')(state));
    expect((await client().chat({ ...asked, keep_alive: '5m' })).load_duration).toBeGreaterThan(0);
    expect(await running()).toContain('random');
    const expires = async () => {
      const { models } = ollamaPsSchema.parse(await client().ps());
      return Date.parse(models.find(({ name }) => name === 'random')?.expires_at ?? '');
    };
    const near = Date.now() + 600_000;
    expect(await expires()).toBeLessThan(near);
    await client().generate({ model: 'random', prompt: '', keep_alive: '2h' });
    expect(await expires()).toBeGreaterThan(near);
    await client().generate({ model: 'random', prompt: '', keep_alive: -1 });
    expect(new Date(await expires()).getFullYear()).toBeGreaterThan(2200);
  });

  it('is meant by a name with a tag, in any case', async () => {
    for (const model of ['scripted:latest', 'Scripted', 'scripted.gguf', 'scripted:LONG']) {
      const answer = await client().generate({ model, prompt: '?', options: { num_predict: 1 } });
      expect(answer.model).toBe(model);
      expect(answer.response).not.toBe('');
    }
  });

  it('is listed, shown and found running', async () => {
    const tags = ollamaTagsSchema.strict().parse(await client().list());
    expect(tags.models.map(({ name }) => name)).toEqual([
      ...['embed', 'random', 'scripted', 'scripted-long', 'thinking', 'toolcall'],
    ]);
    expect(new Set(tags.models.map(({ digest }) => digest)).size).toBe(6);
    expect(tags.models.find(({ name }) => name === 'random')?.details).toMatchObject({
      ...{ format: 'gguf', family: 'llama', families: ['llama'], quantization_level: 'Q8_0' },
    });

    await client().generate({ model: 'scripted', prompt: '' });
    const running = ollamaPsSchema.strict().parse(await client().ps());
    const scripted = running.models.find(({ name }) => name === 'scripted');
    expect(scripted).toMatchObject({ context_length: 2048, size_vram: 0 });
    expect(scripted?.size).toBeGreaterThan(0);
    expect(Date.parse(scripted?.expires_at ?? '')).toBeGreaterThan(Date.now());

    const show = async (model: string) =>
      ollamaShowSchema.strict().parse(await client().show({ model }));
    const toolcall = await show('toolcall');
    expect(toolcall.capabilities).toEqual(['completion', 'tools']);
    expect(toolcall.template).toContain('tools');
    expect(toolcall.model_info).toMatchObject({
      'general.architecture': 'llama',
      'tokenizer.ggml.tokens': null,
    });
    expect(toolcall.model_info['llama.context_length']).toBeTypeOf('number');
    expect((await show('thinking')).capabilities).toEqual(['completion', 'thinking']);
    expect((await show('embed')).capabilities).toEqual(['embedding']);
  });

  it('that is there needs no pulling', async () => {
    expect(await client().pull({ model: 'scripted' })).toEqual({ status: 'success' });
    const told: string[] = [];
    for await (const progress of await client().pull({ model: 'scripted', stream: true })) {
      told.push(ollamaProgressSchema.parse(progress).status);
    }
    expect(told.at(-1)).toBe('success');
    await expect(client().pull({ model: 'llama3.2' })).rejects.toMatchObject({
      status_code: 404,
      message: expect.stringMatching(/llama3\.2.*hf\.co\/OWNER\/NAME/),
    });
  });
});

describe('embeddings', () => {
  it('are those of /v1/embeddings, for one text and several', async () => {
    const input = ['one text', 'another text'];
    const theirs = await test().client.embeddings.create({
      ...{ model: 'embed', input, encoding_format: 'float' as const },
    });
    const ours = ollamaEmbedAnswerSchema.parse(await client().embed({ model: 'embed', input }));
    expect(ours.embeddings).toEqual(theirs.data.map(({ embedding }) => embedding));
    expect(ours.prompt_eval_count).toBe(theirs.usage.prompt_tokens);
    const short = await client().embed({ model: 'embed', input: 'one text', dimensions: 8 });
    expect(short.embeddings[0]).toHaveLength(8);
    const { embedding } = await client().embeddings({ model: 'embed', prompt: 'one text' });
    expect(embedding).toHaveLength(ours.embeddings[0]?.length ?? -1);
  });

  it('cut what is too long, unless they are not to', async () => {
    const input = 'word '.repeat(20_000);
    const { embeddings } = await client().embed({ model: 'embed', input });
    expect(embeddings).toHaveLength(1);
    await expect(client().embed({ model: 'embed', input, truncate: false })).rejects.toMatchObject({
      status_code: 400,
    });
    expect((await client().embed({ model: 'embed', input: '' })).embeddings).toEqual([]);
  });
});

describe('a request that cannot be served', () => {
  it.each([
    [404, { model: 'nope' }, /no model "nope"/],
    [400, { options: { temperature: 9 } }, /^options\.temperature must be/],
    [400, { options: { num_predict: 0 } }, /^options\.num_predict must be/],
    [400, { options: { mirostat: 2 } }, /options\.mirostat/],
    [400, { options: { repeat_last_n: -2 } }, /^options\.repeat_last_n/],
    [400, { options: 5 }, /^options must be an object/],
    [400, { format: 'xml' }, /^format must be "json"/],
    [400, { format: { $ref: '#/$defs/nowhere' } }, /\$ref|nowhere/],
    [400, { think: 'much' }, /^think must be/],
    [400, { keep_alive: 'soon' }, /^keep_alive must be/],
    [400, { messages: 'Hello' }, /^messages must be/],
    [400, { messages: [{ role: 'alien', content: '?' }] }, /^messages\[0\]\.role must be "system"/],
    [400, { messages: [{ role: 'user', content: '?', images: ['AAAA'] }] }, /images/],
    [400, { messages: [user('word '.repeat(5000))] }, /2,?048/],
    [400, { top_logprobs: 3 }, /^top_logprobs/],
    [400, { model: 'embed' }, /embedding/],
  ])('is told with %i: %j', async (status, change, words) => {
    for (const stream of [true, false]) {
      const body = { model: 'scripted', messages: [user('Hi.')], stream, ...change };
      const told = await refusal(await post('chat', body));
      expect(told).toMatchObject({ status, error: expect.stringMatching(words) });
    }
  });

  it.each([
    [{ suffix: ' end' }, /^suffix/],
    [{ template: '{{ .Prompt }}' }, /^template/],
    [{ context: [1, 2, 3] }, /^context/],
    [{ raw: true, system: 'Be brief.' }, /^system/],
    [{ images: ['AAAA'] }, /images/],
    [{ prompt: 5 }, /^prompt must be a text/],
  ])('is told by /api/generate: %j', async (change, words) => {
    const told = await refusal(
      await post('generate', { model: 'scripted', prompt: '?', ...change }),
    );
    expect(told).toMatchObject({ status: 400, error: expect.stringMatching(words) });
  });

  it('has one sentence also where no handler was reached', async () => {
    const { url } = test().server;
    const send = (path: string, init?: RequestInit) => fetch(`${url}/api${path}`, init);
    const cases: [number, Response][] = [
      [400, await send('/chat', { method: 'POST', body: '{"model":' })],
      [400, await send('/chat', { method: 'POST' })],
      [405, await send('/chat')],
      [404, await send('/nothing')],
      [403, await send('/tags', { headers: { origin: 'https://evil.example' } })],
      [400, await send('/create', { method: 'POST', body: '{}' })],
      [400, await send('/copy', { method: 'POST', body: '{}' })],
      [400, await send('/push', { method: 'POST', body: '{}' })],
      [400, await send('/delete', { method: 'DELETE', body: '{}' })],
      [400, await send('/blobs/sha256:00', { method: 'POST', body: 'GGUF' })],
    ];
    for (const [status, response] of cases) expect((await refusal(response)).status).toBe(status);
    expect((await send('/blobs/sha256:00', { method: 'HEAD' })).status).toBe(404);
  });
});

describe('what programs do without the official client', () => {
  it('post JSON without saying so, as the documentation shows it', async () => {
    const response = await post(
      'generate',
      { model: 'scripted', prompt: 'Hi.', stream: false },
      { headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    );
    expect(ollamaGenerateChunkSchema.parse(await response.json()).response).toBe(SCRIPTED_SENTENCE);
  });

  it('look whether somebody is there', async () => {
    for (const method of ['GET', 'HEAD']) {
      for (const path of ['version', 'tags', 'ps']) {
        const response = await fetch(`${test().server.url}/api/${path}`, { method });
        expect(response.status).toBe(200);
      }
    }
    ollamaVersionSchema.strict().parse(await client().version());
  });

  it('ask for a version that has the Responses API and the Messages API', async () => {
    const { version } = await client().version();
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    const [major = 0, minor = 0] = version.split('.').map(Number);
    expect(major * 1000 + minor).toBeGreaterThanOrEqual(14);
  });

  it('say how far back a penalty looks', async () => {
    const say = async (repeat_last_n: number, repeat_penalty = 9) => {
      const options = { repeat_penalty, repeat_last_n, seed: 1, num_predict: 150 };
      const answer = await client().chat({ model: 'random', messages: [user('Hi.')], options });
      return answer.message.content;
    };
    const free = await say(-1, 1);
    const [nothing, two, all] = [await say(0), await say(2), await say(-1)];
    expect(nothing).toBe(free);
    expect(new Set([free, two, all]).size).toBe(3);
  });

  it('leave out what a message and a tool have anyway', async () => {
    const messages = [user('Hi.'), { role: 'assistant', thinking: 'Hm.' }, { role: 'user' }];
    const tools = [{ function: { name: 'clock' } }];
    const response = await post('chat', { model: 'toolcall', stream: false, messages, tools });
    const { message } = ollamaChatChunkSchema.parse(await response.json());
    // how often the model calls it is a matter of chance
    const calls = message.tool_calls ?? [];
    expect(new Set(calls.map((call) => call.function.name))).toEqual(new Set(['clock']));
  });

  it('ask for options of hardware, and are told what nobody knows', async () => {
    const options = { num_gpu: 1, num_thread: 2, use_mmap: true, num_ctx: 4096, colour: 'red' };
    const response = await post('chat', {
      ...{ model: 'scripted', messages: [user('Hi.')], stream: false, mood: 'good' },
      options,
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-pilotlight-ignored')).toBe(
      'mood, options.colour, options.num_ctx',
    );
  });
});

it('a key is asked for in one sentence, and taken as other routes take it', async () => {
  const locked = await startTestServer({ models: ['scripted'], config: { apiKeys: ['k'] } });
  try {
    const { url } = locked.server;
    expect((await refusal(await fetch(`${url}/api/tags`))).status).toBe(401);
    const headers = { authorization: 'Bearer k' };
    const { models } = await new Ollama({ host: url, headers }).list();
    expect(models.map(({ name }) => name)).toEqual(['scripted']);
  } finally {
    await locked.close();
  }
});
