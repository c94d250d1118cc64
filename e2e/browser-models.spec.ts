import { expect } from '@playwright/test';
import { SCRIPTED_SENTENCE } from '../scripts/test-models/scripts.js';
import { accessibilityFaults } from './axe.js';
import { browserTest } from './browser.js';
import { ChatPage } from './chat-page.js';
import { ModelsPage } from './models-page.js';
import { type Served, serve } from './serve.js';

const test = browserTest.extend<{ chat: ChatPage; models: ModelsPage }, { server: Served }>({
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
  models: async ({ chat, page }, use) => {
    await expect(chat.composer).toBeVisible();
    const models = new ModelsPage(page);
    await models.open();
    await use(models);
  },
});

test('the library shows what there is, and why a file cannot run', async ({ models }) => {
  await expect(models.model('guide')).toContainText('Built in');
  await models.expectModel('not-a-model', 'invalid');
  await expect(models.model('not-a-model')).toContainText(/GGUF/);
  await expect(models.model('not-a-model').getByRole('button', { name: 'Load' })).toHaveCount(0);
});

test('the search finds models by words, and Escape empties it before it leaves', async ({
  models,
  chat,
  page,
}) => {
  await models.search.fill('scripted');
  await expect(models.model('scripted')).toBeVisible();
  await expect(models.model('slow')).toHaveCount(0);
  await models.search.fill('nothing is called so');
  await expect(page.getByText('Nothing found')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(models.model('slow')).toBeVisible();
  await expect(models.heading).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(chat.composer).toBeFocused();
  await expect(models.heading).toHaveCount(0);
});

test('a model of the library is used in the chat', async ({ models, chat }) => {
  await models.model('scripted').getByRole('button', { name: 'Use in chat' }).click();
  await chat.expectModel('scripted');
  await chat.ask('Hello?');
  await chat.expectStatus('complete');
  expect((await chat.answerText()).trim()).toBe(SCRIPTED_SENTENCE);
});

test('a model is loaded, and leaves memory, on demand', async ({ models }) => {
  const card = models.model('slow');
  await card.getByRole('button', { name: 'Load', exact: true }).click();
  await models.expectModel('slow', 'loaded');
  await expect(card).toContainText('in memory');
  await card.getByRole('button', { name: 'Unload' }).click();
  await models.expectModel('slow', 'unloaded');
});

test('a page that begins with the models has a whole message field in the chat', async ({
  page,
  server,
}) => {
  await page.goto(`${server.url}/#/models/installed`);
  // Its words are others where the model is in use already.
  const use = new ModelsPage(page).model('scripted').getByRole('button', { name: /chat$/i });
  await use.click();
  const { composer } = new ChatPage(page);
  await expect(composer).toBeVisible();
  const line = await composer.evaluate((area) =>
    Number.parseFloat(getComputedStyle(area).lineHeight),
  );
  await expect
    .poll(async () => (await composer.boundingBox())?.height ?? 0)
    .toBeGreaterThanOrEqual(line);
});

test('an answer goes on while the models are looked at, and is found where it was', async ({
  chat,
  page,
}) => {
  await chat.pickModel('slow');
  await chat.ask('Go on and on.');
  await chat.expectGrowth(2);
  const length = (await chat.answerText()).length;
  const models = new ModelsPage(page);
  await models.open();
  // Here Escape leads back; it does not end the answer.
  await page.keyboard.press('Escape');
  await expect(chat.composer).toBeVisible();
  await chat.expectStatus('running');
  await expect.poll(async () => (await chat.answerText()).length).toBeGreaterThan(length);
  await chat.stopButton.click();
  await chat.expectStatus('stopped');
});

test('a notice leaves the tabs free', async ({ models, page }) => {
  await models.settings('appearance');
  await page.route('**/pilotlight/settings', (route) => route.abort());
  await page.getByRole('radio', { name: 'Dark' }).click();
  await expect(page.getByTestId('notice')).toBeVisible();
  await models.open();
  for (const width of [1280, 420]) {
    await page.setViewportSize({ width, height: 800 });
    await models.tab('downloads');
    await models.tab('installed');
  }
  await expect(page.getByTestId('notice')).toBeVisible();
});

test("the browser's back and forward lead through the page, and a reload stays", async ({
  models,
  chat,
  page,
}) => {
  await models.tab('downloads');
  await page.goBack();
  await expect(page.getByTestId('tab-installed')).toHaveAttribute('aria-selected', 'true');
  await page.goBack();
  await expect(chat.composer).toBeVisible();
  await page.goForward();
  await page.goForward();
  await expect(page.getByTestId('tab-downloads')).toHaveAttribute('aria-selected', 'true');
  await page.reload();
  await expect(page.getByTestId('tab-downloads')).toHaveAttribute('aria-selected', 'true');
  await page.getByTestId('back-to-chat').click();
  await expect(chat.composer).toBeVisible();
});

test('the list is one stop of the Tab key, and arrows lead through it', async ({
  models,
  page,
}) => {
  await models.search.focus();
  const card = page.locator('article:focus');
  await expect
    .poll(async () => {
      await page.keyboard.press('Tab');
      return card.count();
    })
    .toBe(1);
  const first = await card.getAttribute('data-roving');
  await page.keyboard.press('ArrowDown');
  await expect(card).not.toHaveAttribute('data-roving', first ?? '');
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Home');
  await expect(card).toHaveAttribute('data-roving', first ?? '');
});

test('a model that is to be added is looked for first', async ({ chat, page }) => {
  await chat.picker.click();
  await page.getByRole('menuitem', { name: 'Add a model…' }).click();
  await expect(page.getByTestId('tab-discover')).toHaveAttribute('aria-selected', 'true');
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`everybody can read and use the library, ${colorScheme}`, async ({ models, page }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const faults: Record<string, string[]> = {};
    await expect(models.model('not-a-model')).toBeVisible();
    faults.installed = await accessibilityFaults(page);
    await models.search.fill('nothing is called so');
    await expect(page.getByText('Nothing found')).toBeVisible();
    faults.nothing = await accessibilityFaults(page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Add a file…' }).click();
    await expect(page.getByRole('dialog')).toBeVisible();
    faults.addFile = await accessibilityFaults(page);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await models.model('scripted').getByRole('button', { name: 'Delete…' }).click();
    await expect(page.getByRole('alertdialog')).toContainText('scripted');
    faults.delete = await accessibilityFaults(page);
    await page.getByRole('button', { name: 'Keep it' }).click();
    await expect(page.getByRole('alertdialog')).toHaveCount(0);
    await models.tab('downloads');
    await expect(page.getByText('Nothing is being downloaded')).toBeVisible();
    faults.downloads = await accessibilityFaults(page);
    expect(faults).toEqual({
      ...{ installed: [], nothing: [], addFile: [], delete: [], downloads: [] },
    });
  });
}

for (const width of [320, 700, 1600]) {
  test(`nothing is cut off at a width of ${width}`, async ({ models, page }) => {
    await page.setViewportSize({ width, height: 800 });
    for (const tab of ['installed', 'discover', 'downloads'] as const) {
      await models.tab(tab);
      const panel = page.getByRole('tabpanel');
      await expect(panel).toBeVisible();
      const beyond = await panel.evaluate((element) => element.scrollWidth - element.clientWidth);
      expect(beyond, tab).toBe(0);
    }
  });
}
