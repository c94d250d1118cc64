// Clients with a wrong base URL, as the official ones tell it.
import Anthropic from '@anthropic-ai/sdk';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure, startTestServer, type TestServer, user } from './test-server.js';

let test: TestServer;
beforeAll(async () => {
  test = await startTestServer({ models: ['scripted'] });
});
afterAll(() => test.close());

const request = { model: 'scripted', messages: [user('Hi.')] };

describe('a base URL', () => {
  it('of an Ollama client has no /v1', async () => {
    const client = new Ollama({ host: `${test.server.url}/v1` });
    const sentence = /nothing at POST \/v1\/api\/chat\. Leave out \/v1 in the base URL/;
    await expect(client.chat({ ...request })).rejects.toThrow(sentence);
    await expect(client.chat({ ...request, stream: true })).rejects.toThrow(sentence);
    await expect(client.list()).rejects.toThrow(/GET \/v1\/api\/tags\. Leave out \/v1/);
  });

  it('of an Anthropic client has no /v1', async () => {
    const baseURL = `${test.server.url}/v1`;
    const client = new Anthropic({ baseURL, apiKey: 'local', maxRetries: 0 });
    const asked = client.messages.create({ ...request, max_tokens: 5 });
    await expect(asked).rejects.toThrow(Anthropic.NotFoundError);
    await expect(asked).rejects.toThrow(/\/v1\/v1\/messages\. Leave out \/v1 in the base URL/);
  });

  it('of an OpenAI client ends in /v1', async () => {
    const client = new OpenAI({ baseURL: test.server.url, apiKey: 'local', maxRetries: 0 });
    const { model } = request;
    for (const [asked, path] of [
      [() => client.chat.completions.create(request), '/v1/chat/completions'],
      [() => client.completions.create({ model, prompt: 'Hi.' }), '/v1/completions'],
      [() => client.responses.create({ model, input: 'Hi.' }), '/v1/responses'],
      [() => client.responses.retrieve('resp_1'), '/v1/responses/resp_1'],
      [() => client.embeddings.create({ model, input: 'Hi.' }), '/v1/embeddings'],
      [async () => client.models.list(), '/v1/models'],
    ] as const) {
      await expect(asked()).rejects.toThrow(`The base URL ends in /v1: this is at ${path}.`);
    }
  });

  it('is not what is wrong elsewhere', async () => {
    for (const path of ['/v1/nothing', '/models.js', '/v1/apiary', '/chat']) {
      const { status, message } = await failure(await test.post(path, {}));
      expect([status, message]).toEqual([
        404,
        `There is nothing at POST ${path}. The routes of the API begin with /v1/, such as /v1/chat/completions.`,
      ]);
    }
    const long = await failure(await test.post(`/v1/${'x'.repeat(5000)}`, {}));
    expect(long.message.length).toBeLessThan(300);
  });
});
