// The official client and plain sockets against the real server.
import { Ollama } from 'ollama';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  ollamaChatChunkSchema,
  ollamaEmbedAnswerSchema,
  ollamaErrorSchema,
  ollamaGenerateChunkSchema,
  ollamaProgressSchema,
  ollamaPsSchema,
  ollamaShowSchema,
  ollamaTagsSchema,
  ollamaVersionSchema,
} from '../../protocol/ollama.js';
import {
  AFTER_TOOL_SENTENCE,
  SCRIPTED_SENTENCE,
  THINKING_ANSWER,
  THINKING_TEXT,
  TOOL_CALL,
} from '../../scripts/test-models/scripts.js';
import { contentOf, isLoaded, startTestServer, type TestServer, user } from '../test-server.js';

let test: TestServer;
let client: Ollama;
beforeAll(async () => {
  test = await startTestServer({
    models: ['scripted', 'scripted-long', 'thinking', 'toolcall', 'random', 'embed'],
  });
  client = new Ollama({ host: test.server.url });
});
afterAll(() => test.close());
afterEach(() => test.until(({ running, waiting }) => running === 0 && waiting === 0));

const post = (path: string, body: unknown, init: RequestInit = {}) =>
  fetch(`${test.server.url}/api/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...init,
  });
/** A refusal: its status and its sentence. */
async function refusal(response: Response): Promise<{ status: number; error: string }> {
  const { error } = ollamaErrorSchema.strict().parse(await response.json());
  expect(error).toMatch(/^\S.*\.$/s);
  return { status: response.status, error };
}
const WEATHER = {
  type: 'function',
  function: {
    name: TOOL_CALL.name,
    description: 'The weather in a city.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    },
  },
};

describe('a chat', () => {
  const request = { model: 'scripted', messages: [user('Hello?')] };

  it('streams, and ends with the reason and real durations', async () => {
    let text = '';
    let last: unknown = null;
    for await (const chunk of await client.chat({ ...request, stream: true })) {
      ollamaChatChunkSchema.strict().parse(chunk);
      text += chunk.message.content;
      last = chunk;
    }
    expect(text).toBe(SCRIPTED_SENTENCE);
    expect(last).toMatchObject({ done: true, done_reason: 'stop', eval_count: 22 });
    const told = ollamaChatChunkSchema.parse(last);
    expect(told.prompt_eval_count).toBeGreaterThan(0);
    expect(told.eval_duration).toBeGreaterThan(0);
    expect(told.total_duration).toBeGreaterThanOrEqual(told.eval_duration ?? Number.NaN);
  });

  it('is one object where no stream is wanted, with the same text', async () => {
    // The client writes into what it is given.
    const answer = await client.chat({ ...request });
    ollamaChatChunkSchema.strict().parse(answer);
    expect(answer).toMatchObject({
      model: 'scripted',
      message: { role: 'assistant', content: SCRIPTED_SENTENCE },
      done: true,
      done_reason: 'stop',
    });
    const short = await client.chat({ ...request, options: { num_predict: 3 } });
    expect(short).toMatchObject({ done_reason: 'length', eval_count: 3 });
  });

  it('streams where nothing is said, as lines of JSON', async () => {
    const response = await post('chat', request);
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    const lines = (await response.text()).trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(20);
    expect(lines.map((line) => JSON.parse(line).done).indexOf(true)).toBe(lines.length - 1);
  });

  it('has the text of /v1/chat/completions with the same seed and options', async () => {
    const options = { seed: 11, temperature: 1.2, top_p: 0.9, top_k: 50, min_p: 0.01 };
    const messages = [{ role: 'system' as const, content: 'Be brief.' }, user('Say something.')];
    const theirs = await test.answer({
      ...{ model: 'random', messages, max_tokens: 60, repeat_penalty: 1.1 },
      ...options,
    });
    const ours = await client.chat({
      ...{ model: 'random', messages },
      options: { ...options, num_predict: 60, repeat_penalty: 1.1 },
    });
    expect(ours.message.content).toBe(contentOf(theirs));
    const generated = await client.generate({
      ...{ model: 'random', system: 'Be brief.', prompt: 'Say something.' },
      options: { ...options, num_predict: 60, repeat_penalty: 1.1 },
    });
    expect(generated.response).toBe(contentOf(theirs));
  });

  it('tells thoughts apart from the answer, and leaves them out where none are wanted', async () => {
    const asked = { model: 'thinking', messages: [user('How many apples?')] };
    const { message } = await client.chat({ ...asked, think: true });
    expect(message.content).toBe(THINKING_ANSWER);
    expect(message.thinking?.trim()).toBe(THINKING_TEXT);
    let thinking = '';
    for await (const chunk of await client.chat({ ...asked, think: 'high', stream: true })) {
      thinking += chunk.message.thinking ?? '';
    }
    expect(thinking).toBe(message.thinking);
    const brief = await client.chat({ ...asked, think: false });
    expect(brief.message).toEqual({ role: 'assistant', content: THINKING_ANSWER });
  });

  it('calls a tool in one piece, and goes on with its result', async () => {
    const asked = { model: 'toolcall', tools: [WEATHER] };
    const messages = [user('What is the weather in Rome?')];
    const chunks = [];
    for await (const chunk of await client.chat({ ...asked, messages, stream: true })) {
      chunks.push(chunk);
    }
    const calls = chunks.flatMap(({ message }) => message.tool_calls ?? []);
    expect(calls).toEqual([{ function: TOOL_CALL }]);
    expect(chunks.at(-1)).toMatchObject({ done: true, done_reason: 'stop' });

    const whole = await client.chat({ ...asked, messages });
    expect(whole.message.tool_calls).toEqual(calls);
    const after = await client.chat({
      model: 'toolcall',
      messages: [
        ...messages,
        whole.message,
        { role: 'tool', tool_name: TOOL_CALL.name, content: 'Sunny.' },
      ],
    });
    expect(after.message.content).toBe(AFTER_TOOL_SENTENCE);
  });

  it('is held to a schema, and to JSON', async () => {
    const schema = {
      type: 'object',
      properties: { kind: { enum: ['a', 'b'] }, good: { type: 'boolean' } },
      required: ['kind', 'good'],
      additionalProperties: false,
    };
    const asked = {
      ...{ model: 'random', messages: [user('Hi.')] },
      options: { seed: 3, temperature: 1.5, num_predict: 1000 },
    };
    const { message } = await client.chat({ ...asked, format: schema });
    const value = JSON.parse(message.content);
    expect(['a', 'b']).toContain(value.kind);
    expect(value.good).toBeTypeOf('boolean');
    const any = await client.chat({ ...asked, format: 'json' });
    expect(any.message.content.trimStart()).toMatch(/^\{/);
  });

  it('has log probabilities, as many as tokens', async () => {
    const answer = await client.chat({ ...request, logprobs: true, top_logprobs: 2 });
    expect(answer.logprobs).toHaveLength(answer.eval_count);
    expect(answer.logprobs?.[0]?.top_logprobs).toHaveLength(2);
  });

  it('is cancelled when its client leaves', async () => {
    const stream = await client.chat({
      ...{ model: 'scripted-long', messages: [user('Go.')], stream: true },
    });
    const reading = (async () => {
      for await (const chunk of stream) {
        if (chunk.message.content) stream.abort();
      }
    })();
    await expect(reading).rejects.toThrow(/abort/i);
    await test.until(({ running, waiting }) => running + waiting === 0);
  });

  it('that fails in mid-stream ends with a line that says why', async () => {
    const stream = await client.chat({
      ...{ model: 'scripted-long', messages: [user('Go.')], stream: true },
    });
    const reading = (async () => {
      for await (const chunk of stream) {
        const pid = test.engines.at(-1)?.pid;
        if (chunk.message.content && pid !== undefined) process.kill(pid, 'SIGKILL');
      }
    })();
    await expect(reading).rejects.toThrow(/killed/);
  });
});

describe('a generation', () => {
  it('streams and collects the same text', async () => {
    const request = { model: 'scripted', prompt: 'Hello?' };
    let text = '';
    for await (const chunk of await client.generate({ ...request, stream: true })) {
      ollamaGenerateChunkSchema.strict().parse(chunk);
      text += chunk.response;
    }
    const whole = await client.generate({ ...request });
    ollamaGenerateChunkSchema.strict().parse(whole);
    expect(whole.response).toBe(SCRIPTED_SENTENCE);
    expect(text).toBe(whole.response);
  });

  it('takes a raw prompt as it is', async () => {
    const raw = { ...{ model: 'random', prompt: 'Once upon a time' }, raw: true };
    const options = { seed: 5, temperature: 1, num_predict: 30 };
    const { response } = await client.generate({ ...raw, options });
    const completion = await test.client.completions.create({
      ...{ model: 'random', prompt: raw.prompt, seed: 5, temperature: 1, max_tokens: 30 },
    });
    expect(response).toBe(completion.choices[0]?.text);
    let streamed = '';
    for await (const chunk of await client.generate({ ...raw, options, stream: true })) {
      streamed += chunk.response;
    }
    expect(streamed).toBe(response);
  });
});

describe('a model', () => {
  it('is loaded by an empty request, and leaves with a keep_alive of 0', async () => {
    expect(await client.generate({ model: 'random', prompt: '' })).toMatchObject({
      ...{ model: 'random', response: '', done: true, done_reason: 'load' },
    });
    const running = async () => (await client.ps()).models.map(({ name }) => name);
    expect(await running()).toContain('random');
    expect(await client.chat({ model: 'random', messages: [], keep_alive: 0 })).toMatchObject({
      ...{ message: { role: 'assistant', content: '' }, done: true, done_reason: 'unload' },
    });
    expect(await running()).not.toContain('random');
    const asked = { model: 'random', messages: [user('Hi.')], options: { num_predict: 4 } };
    const { eval_count } = await client.chat({ ...asked, keep_alive: '0s' });
    expect(eval_count).toBe(4);
    await test.until((state) => !isLoaded('random')(state));
    expect((await client.chat({ ...asked, keep_alive: '5m' })).load_duration).toBeGreaterThan(0);
    expect(await running()).toContain('random');
  });

  it('is meant by a name with a tag, in any case', async () => {
    for (const model of ['scripted:latest', 'Scripted', 'scripted.gguf', 'scripted:LONG']) {
      const answer = await client.generate({ model, prompt: '?', options: { num_predict: 1 } });
      expect(answer.model).toBe(model);
      expect(answer.response).not.toBe('');
    }
  });

  it('is listed, shown and found running', async () => {
    const tags = ollamaTagsSchema.strict().parse(await client.list());
    expect(tags.models.map(({ name }) => name)).toEqual([
      ...['embed', 'random', 'scripted', 'scripted-long', 'thinking', 'toolcall'],
    ]);
    expect(new Set(tags.models.map(({ digest }) => digest)).size).toBe(6);
    expect(tags.models.find(({ name }) => name === 'random')?.details).toMatchObject({
      ...{ format: 'gguf', family: 'llama', families: ['llama'], quantization_level: 'Q8_0' },
    });

    await client.generate({ model: 'scripted', prompt: '' });
    const running = ollamaPsSchema.strict().parse(await client.ps());
    const scripted = running.models.find(({ name }) => name === 'scripted');
    expect(scripted).toMatchObject({ context_length: 2048, size_vram: 0 });
    expect(scripted?.size).toBeGreaterThan(0);
    expect(new Date(scripted?.expires_at ?? 0).getFullYear()).toBeGreaterThan(2200);

    const show = async (model: string) =>
      ollamaShowSchema.strict().parse(await client.show({ model }));
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
    expect(await client.pull({ model: 'scripted' })).toEqual({ status: 'success' });
    const told: string[] = [];
    for await (const progress of await client.pull({ model: 'scripted', stream: true })) {
      told.push(ollamaProgressSchema.parse(progress).status);
    }
    expect(told.at(-1)).toBe('success');
    await expect(client.pull({ model: 'llama3.2' })).rejects.toMatchObject({
      status_code: 404,
      message: expect.stringMatching(/llama3\.2.*GGUF file into the models folder/),
    });
  });
});

describe('embeddings', () => {
  it('are those of /v1/embeddings, for one text and several', async () => {
    const input = ['one text', 'another text'];
    const theirs = await test.client.embeddings.create({
      ...{ model: 'embed', input, encoding_format: 'float' as const },
    });
    const ours = ollamaEmbedAnswerSchema.parse(await client.embed({ model: 'embed', input }));
    expect(ours.embeddings).toEqual(theirs.data.map(({ embedding }) => embedding));
    expect(ours.prompt_eval_count).toBe(theirs.usage.prompt_tokens);
    const short = await client.embed({ model: 'embed', input: 'one text', dimensions: 8 });
    expect(short.embeddings[0]).toHaveLength(8);
    const { embedding } = await client.embeddings({ model: 'embed', prompt: 'one text' });
    expect(embedding).toHaveLength(ours.embeddings[0]?.length ?? -1);
  });

  it('cut what is too long, unless they are not to', async () => {
    const input = 'word '.repeat(20_000);
    const { embeddings } = await client.embed({ model: 'embed', input });
    expect(embeddings).toHaveLength(1);
    await expect(client.embed({ model: 'embed', input, truncate: false })).rejects.toMatchObject({
      status_code: 400,
    });
    expect((await client.embed({ model: 'embed', input: '' })).embeddings).toEqual([]);
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
    const { url } = test.server;
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
        const response = await fetch(`${test.server.url}/api/${path}`, { method });
        expect(response.status).toBe(200);
      }
    }
    ollamaVersionSchema.strict().parse(await client.version());
  });

  it('ask for a version that has the Responses API and the Messages API', async () => {
    const { version } = await client.version();
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    const [major = 0, minor = 0] = version.split('.').map(Number);
    expect(major * 1000 + minor).toBeGreaterThanOrEqual(14);
  });

  it('say how far back a penalty looks', async () => {
    const say = async (repeat_last_n: number, repeat_penalty = 9) => {
      const options = { repeat_penalty, repeat_last_n, seed: 1, num_predict: 150 };
      const answer = await client.chat({ model: 'random', messages: [user('Hi.')], options });
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
    const response = await post('chat', { model: 'scripted', stream: false, messages, tools });
    const { message } = ollamaChatChunkSchema.parse(await response.json());
    expect(message.content).toBe(SCRIPTED_SENTENCE);
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
