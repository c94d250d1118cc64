import { expect } from '@playwright/test';
import { SCRIPTED_SENTENCE } from '../scripts/test-models/scripts.js';
import { serverState } from './api.js';
import { accessibilityFaults } from './axe.js';
import { browserTest } from './browser.js';
import { ChatPage } from './chat-page.js';
import { type Served, serve } from './serve.js';

const test = browserTest.extend<{ chat: ChatPage }, { server: Served }>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern.
    async ({}, use) => {
      const server = await serve(['scripted', 'slow', 'not-a-model']);
      await use(server);
      await server.stop();
    },
    { scope: 'worker' },
  ],
  chat: async ({ page, server }, use) => {
    await page.goto(server.url);
    const chat = new ChatPage(page);
    await chat.ready();
    await use(chat);
  },
});

test('the same chat in a browser: ask, read, ask again', async ({ chat }) => {
  await chat.pickModel('scripted');
  await chat.ask('Hello?');
  await chat.expectStatus('complete');
  expect((await chat.answerText()).trim()).toBe(SCRIPTED_SENTENCE);
  await expect(chat.page.getByTestId('tokens-per-second')).toHaveText(/\d/);

  await chat.page.getByRole('button', { name: 'Answer again' }).click();
  await chat.expectStatus('complete');
  await expect(chat.answers).toHaveCount(1);
  expect((await chat.answerText()).trim()).toBe(SCRIPTED_SENTENCE);

  await chat.page.getByTestId('new-chat').click();
  await expect(chat.answers).toHaveCount(0);
});

test('the list shows by which id programs know a model', async ({ chat }) => {
  await chat.picker.click();
  const option = (id: string) => chat.page.getByTestId(`model-option-${id}`);
  await expect(option('scripted').locator('.model-id')).toHaveText('for programs scripted');
  await expect(option('guide')).toBeVisible();
  await expect(option('guide').locator('.model-id')).toHaveCount(0);
});

test('an answer grows while it is written, and Stop ends it', async ({ chat, server }) => {
  await chat.pickModel('slow');
  await chat.ask('Go on and on.');
  await chat.expectGrowth(3);
  expect((await serverState(server.url)).running).toBe(1);
  await chat.stopButton.click();
  await chat.expectStatus('stopped');
  await expect.poll(async () => (await serverState(server.url)).running).toBe(0);
});

test('an answer goes on while no tab shows it, and is found again', async ({
  chat,
  server,
  context,
}) => {
  await chat.pickModel('slow');
  await chat.ask('Go on and on.');
  await chat.expectGrowth(2);
  const address = chat.page.url();
  const before = (await chat.answerText()).length;
  await chat.page.close();
  expect((await serverState(server.url)).running).toBe(1);

  const page = await context.newPage();
  await page.goto(address);
  const again = new ChatPage(page);
  await again.expectStatus('running');
  await expect.poll(async () => (await again.answerText()).length).toBeGreaterThan(before);
  await again.expectGrowth(2);
  await again.stopButton.click();
  await again.expectStatus('stopped');
  await expect.poll(async () => (await serverState(server.url)).running).toBe(0);
});

test('the page is whole without the network', async ({ page, server }) => {
  const foreign: string[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== server.url) foreign.push(request.url());
  });
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(server.url);
  const chat = new ChatPage(page);
  await chat.ready();
  await chat.pickModel('scripted');
  await chat.ask('Hello?');
  await chat.expectStatus('complete');
  expect(foreign).toEqual([]);
  expect(problems).toEqual([]);
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`everybody can read and use it, ${colorScheme}`, async ({ chat, page }) => {
    // Half-faded colours would be measured otherwise.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const [brightness = 0] = background.match(/\d+/g)?.map(Number) ?? [];
    expect(brightness > 127).toBe(colorScheme === 'light');

    const faults: Record<string, string[]> = {};
    faults.welcome = await accessibilityFaults(page);
    await chat.picker.click();
    await expect(page.getByTestId('model-option-not-a-model')).toBeVisible();
    faults.models = await accessibilityFaults(page);
    await page.keyboard.press('Escape');
    await expect(page.getByTestId('model-option-not-a-model')).toHaveCount(0);

    await chat.pickModel('scripted');
    await chat.ask('Hello?');
    await chat.expectStatus('complete');
    faults.answered = await accessibilityFaults(page);
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await expect(page.getByRole('menuitemradio', { name: 'Dark' })).toBeVisible();
    faults.more = await accessibilityFaults(page);
    await page.keyboard.press('Escape');
    await page.getByTestId('message-menu').last().click();
    await page.getByTestId('delete-message').click();
    await expect(chat.notices).toHaveCount(1);
    faults.deleted = await accessibilityFaults(page);
    expect(faults).toEqual({
      welcome: [],
      models: [],
      answered: [],
      more: [],
      deleted: [],
    });
  });
}
