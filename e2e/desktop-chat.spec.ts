import fs from 'node:fs';
import path from 'node:path';
import { expect } from '@playwright/test';
import { SCRIPTED_SENTENCE } from '../scripts/test-models/scripts.js';
import { openAiClient, serverState } from './api.js';
import { test } from './desktop-app.js';

test('an answer grows while it is written, and Stop ends it', async ({ launch }) => {
  const app = await launch({ models: ['slow'] });
  const url = await app.ready();
  await app.chat.pickModel('slow');
  await app.chat.ask('Say the alphabet.');
  await app.chat.expectGrowth(3);
  await app.chat.expectStatus('running');
  expect((await serverState(url)).running).toBe(1);

  await app.chat.stopButton.click();
  await app.chat.expectStatus('stopped');
  await expect.poll(async () => (await serverState(url)).running).toBe(0);
});

test('an answer goes on while the window is closed', async ({ launch }) => {
  const app = await launch({ models: ['slow'] });
  const url = await app.ready();
  await app.chat.pickModel('slow');
  await app.chat.ask('Go on and on.');
  await app.chat.expectGrowth(2);
  const before = (await app.chat.answerText()).length;
  await app.closeWindow();
  await expect.poll(() => app.isVisible()).toBe(false);
  expect((await serverState(url)).running).toBe(1);

  await app.clickTray('open');
  await expect.poll(() => app.isVisible()).toBe(true);
  await expect.poll(async () => (await app.chat.answerText()).length).toBeGreaterThan(before);
  await app.chat.stopButton.click();
  await app.chat.expectStatus('stopped');
});

test('the tray switches the model while a client streams from the same address', async ({
  launch,
}) => {
  const app = await launch({ models: ['scripted', 'slow'] });
  const url = await app.ready();
  await app.chat.pickModel('slow');
  await app.expectTick('slow');

  // Some 8,000 tokens of the slowest model: on any machine it outlives the switch.
  const stream = await openAiClient(url).chat.completions.create({
    model: 'slow',
    messages: [{ role: 'user', content: 'Go on.' }],
    stream: true,
  });
  let received = '';
  let finishReason: string | null = null;
  const streaming = (async () => {
    for await (const chunk of stream) {
      received += chunk.choices[0]?.delta.content ?? '';
      finishReason = chunk.choices[0]?.finish_reason ?? finishReason;
    }
  })();
  await expect.poll(() => received.length).toBeGreaterThan(100);

  await app.clickTray('model:scripted');
  await app.expectTick('scripted');
  await app.chat.expectModel('scripted');
  await app.chat.ask('Hello?');
  await app.chat.expectStatus('complete');
  expect((await app.chat.answerText()).trim()).toBe(SCRIPTED_SENTENCE);
  await expect(app.page.getByTestId('tokens-per-second')).toHaveText(/\d/);

  const afterAnswer = received.length;
  await expect.poll(() => received.length).toBeGreaterThan(afterAnswer + 50);
  expect(finishReason).toBeNull();
  stream.controller.abort();
  await streaming;
  await expect.poll(async () => (await serverState(url)).running).toBe(0);
});

test('responses are kept in the folder of the person, and gone on with', async ({ launch }) => {
  const app = await launch({ models: ['scripted'] });
  const { responses } = openAiClient(await app.ready());
  const first = await responses.create({ model: 'scripted', input: 'Hi.' });
  const second = await responses.create({
    ...{ model: 'scripted', input: 'And now?', previous_response_id: first.id },
  });
  expect(second.usage?.input_tokens).toBeGreaterThan(first.usage?.total_tokens ?? Infinity);
  const { mode } = fs.statSync(path.join(app.profile, 'pilotlight.sqlite'));
  if (process.platform !== 'win32') expect(mode & 0o777).toBe(0o600);
  expect((await serverState(app.url)).notices).toEqual([]);
});

test('a model that cannot be loaded from the tray is told in words', async ({ launch }) => {
  const app = await launch({ models: ['scripted', 'bad-template'] });
  await app.ready();
  await app.answerBoxes({ response: 0, checkboxChecked: false });
  await app.clickTray('model:bad-template');
  await expect.poll(async () => (await app.boxes()).length).toBe(1);
  const [box] = await app.boxes();
  expect(box?.message).toBe('Pilotlight test model: bad-template could not be loaded.');
  expect(box?.detail).toMatch(/template/);
});

test('files that are no models are in the tray with the reason, and cannot be chosen', async ({
  launch,
}) => {
  const app = await launch({ models: ['scripted', 'truncated', 'not-a-model', 'empty'] });
  await app.ready();
  await app.chat.pickModel('scripted');
  const items = await app.trayItems();
  const invalid = items.filter((item) => item.id?.startsWith('model:') && !item.enabled);
  expect(invalid.map((item) => item.id).sort()).toEqual([
    'model:empty',
    'model:not-a-model',
    'model:truncated',
  ]);
  for (const { label } of invalid) expect(label).toMatch(/ — \S.* \S/);
  await app.chat.ask('Still there?');
  await app.chat.expectStatus('complete');
  expect((await app.chat.answerText()).trim()).toBe(SCRIPTED_SENTENCE);
});

test('the tray copies the address of the API', async ({ launch }) => {
  const app = await launch();
  const url = await app.ready();
  await app.clickTray('copy-address');
  const copied = await app.electron.evaluate(({ clipboard }) => clipboard.readText());
  expect(copied).toBe(`${url}/v1`);
});
