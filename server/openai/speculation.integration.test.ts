import { afterEach, expect, it } from 'vitest';
import type { TestModelName } from '../../scripts/test-models/catalogue.js';
import { ensureTestModels } from '../../scripts/test-models/test-models.js';
import { startTestServer, type TestServer } from '../test-server.js';

const models = await ensureTestModels('out/test-models');
const MESSAGES = [{ role: 'user', content: 'Hello' }];
const LONG = { messages: MESSAGES, max_tokens: 300, temperature: 0 };

let test: TestServer;
afterEach(() => test.close());

async function start(model: TestModelName, config: Record<string, unknown> = {}): Promise<void> {
  test = await startTestServer({ models: [model], config });
}

async function ask(speculation: string | null) {
  const { choices, timings, usage } = await test.answer({ ...LONG, speculation });
  const { drafted_tokens: drafted, accepted_tokens: accepted } = timings ?? {};
  return { text: choices[0]?.message.content, drafted, accepted, tokens: usage?.completion_tokens };
}

it('guesses by request, tells it in the timings, and says the same', async () => {
  await start('scripted-long');
  const plain = await ask(null);
  expect(plain).toMatchObject({ drafted: 0, accepted: 0, tokens: 300 });
  const guessed = await ask('ngram');
  expect(guessed).toMatchObject({ text: plain.text, tokens: 300 });
  expect(guessed.accepted).toBeGreaterThan(0);
  expect(guessed.accepted).toBeLessThanOrEqual(guessed.drafted ?? 0);
});

it('guesses by setting, and not where a request says so', async () => {
  await start('scripted-long', { speculation: 'ngram' });
  const guessed = await ask(null);
  expect(guessed.accepted).toBeGreaterThan(0);
  expect(await ask('off')).toMatchObject({ text: guessed.text, drafted: 0 });
});

it('streams all tokens of a step that takes several', async () => {
  await start('scripted-long', { speculation: 'ngram' });
  const plain = await ask('off');
  const stream = await test.client.chat.completions.create({
    ...{ model: 'scripted-long', max_tokens: 300, temperature: 0, stream: true },
    messages: [{ role: 'user', content: 'Hello' }],
  });
  let text = '';
  for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
  expect(text).toBe(plain.text);
});

it('guesses by a draft model', async () => {
  await start('scripted-long', { draftModel: models['scripted-long'] });
  const guessed = await ask(null);
  expect(guessed.accepted).toBeGreaterThan(0);
  expect(guessed.accepted).toBe(guessed.drafted);
  expect((await ask('off')).text).toBe(guessed.text);
});

it('refuses what it cannot do, by name', async () => {
  await start('scripted-long', { draftModel: models.toolcall });
  const unfit = await test.chat(LONG);
  expect(unfit.status).toBe(400);
  expect(await unfit.text()).toContain('This draft model cannot guess for this model.');
  await test.close();

  await start('scripted-long');
  for (const speculation of ['draft', 'always', 1]) {
    const response = await test.chat({ ...LONG, speculation });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { param: 'speculation' } });
  }
});
