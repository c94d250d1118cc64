// What is set for a model holds in every dialect for requests that leave it open: a real server over its routes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contentOf, startTestServer, type TestServer, user } from '../test-server.js';

let test: TestServer;
beforeAll(async () => {
  test = await startTestServer({ models: ['random'] });
  const response = await fetch(`${test.server.url}/pilotlight/models/random/settings`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      sampling: { temperature: 0, max_tokens: 5 },
      system_prompt: 'Speak of the sea.',
    }),
  });
  expect(response.status).toBe(200);
});
afterAll(() => test.close());

const messages = [user('Hi.')];

async function asked(route: string, body: object): Promise<Record<string, never>> {
  const response = await test.post(route, { model: 'random', ...body });
  expect(response.status).toBe(200);
  return (await response.json()) as Record<string, never>;
}

describe('max_tokens', () => {
  it.each<[string, object, string]>([
    ['/v1/chat/completions', { messages }, 'usage.completion_tokens'],
    ['/v1/completions', { prompt: 'Hi.' }, 'usage.completion_tokens'],
    ['/v1/responses', { input: 'Hi.' }, 'usage.output_tokens'],
    ['/v1/generate', { prompt: 'Hi.' }, 'output_tokens'],
    ['/api/chat', { messages, stream: false }, 'eval_count'],
    ['/api/generate', { prompt: 'Hi.', stream: false }, 'eval_count'],
  ])('%s', async (route, body, place) => {
    const answer = await asked(route, body);
    const count = place.split('.').reduce<unknown>((value, key) => (value as never)[key], answer);
    expect(count).toBe(5);
  });

  it('of a request comes before it', async () => {
    const { usage } = await test.answer({ model: 'random', messages, max_tokens: 3 });
    expect(usage?.completion_tokens).toBe(3);
  });
});

it('the temperature is the one of the model', async () => {
  const say = async (more: object) =>
    contentOf(await test.answer({ model: 'random', messages, ...more }));
  expect(await say({})).toBe(await say({ temperature: 0 }));
  expect(await say({})).toBe(await say({ seed: 5 }));
});

it('the system prompt is read by a chat that brings none, and counted', async () => {
  const { prompt, count } = await asked('/apply-template', { messages });
  expect(prompt).toContain('Speak of the sea.');
  const own = [{ role: 'system', content: 'Be brief.' }, ...messages];
  expect((await asked('/apply-template', { messages: own })).prompt).not.toContain('sea');
  const counted = await asked('/v1/messages/count_tokens', { messages });
  expect(counted.input_tokens).toBe(count);
  expect((await asked('/v1/responses/input_tokens', { input: 'Hi.' })).input_tokens).toBe(count);
  const { usage } = await test.answer({ model: 'random', messages });
  expect(usage?.prompt_tokens).toBe(count);
});
