import fs from 'node:fs/promises';
import { expect, type Locator, type Page } from '@playwright/test';
import { SCRIPTED_SENTENCE } from '../scripts/test-models/scripts.js';
import { TestHub } from '../server/hub/test-hub.js';
import { serverState } from './api.js';
import { accessibilityFaults } from './axe.js';
import { browserTest } from './browser.js';
import { ChatPage } from './chat-page.js';
import { testModelFile } from './folders.js';
import { ModelsPage } from './models-page.js';
import { type Served, serve } from './serve.js';

const REPO = 'ada/scripted-gguf';
const NAME = 'scripted-Q4_K_M';

const test = browserTest.extend<{ hub: TestHub; server: Served; models: ModelsPage }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern.
  hub: async ({}, use) => {
    const hub = await TestHub.start();
    const model = await fs.readFile(await testModelFile('scripted'));
    hub.addRepo(REPO, { files: { [`${NAME}.gguf`]: model } });
    await use(hub);
    await hub.close();
  },
  server: async ({ hub }, use) => {
    const server = await serve([], [], { HF_ENDPOINT: hub.endpoint });
    await use(server);
    await server.stop();
  },
  models: async ({ page, server }, use) => {
    await page.goto(server.url);
    await new ChatPage(page).ready();
    const models = new ModelsPage(page);
    await models.open();
    await use(models);
  },
});

/** Finds the repo, and waits until its one variant has been looked at: nothing more is asked of the hub then. */
async function choose(models: ModelsPage, page: Page): Promise<void> {
  await models.tab('discover');
  await models.search.fill('scripted');
  await page.getByTestId(`repo-${REPO}`).click();
  await expect(page.getByTestId(`variant-${NAME}`)).toContainText('Fits');
}

/** Downloads what was chosen; gives its card. */
async function download(models: ModelsPage, page: Page): Promise<Locator> {
  await page.getByTestId('download').click();
  await models.tab('downloads');
  return page.getByTestId(`download-${NAME}`);
}

test('found, chosen, downloaded, used: the chat answers', async ({ models, page, server }) => {
  await choose(models, page);
  const card = await download(models, page);
  await expect(card).toHaveAttribute('data-status', 'done');
  // It is told wherever one is.
  await expect(page.getByTestId('notice')).toContainText(`${NAME} is downloaded.`);
  await models.tab('discover');
  await page.getByTestId(`repo-${REPO}`).click();
  await expect(page.getByTestId('use-installed')).toBeVisible();
  await page.getByTestId('notice').getByRole('button', { name: 'Use it' }).click();
  await expect(page.getByTestId('notice')).toHaveCount(0);
  const chat = new ChatPage(page);
  await chat.ask('Hello?');
  await chat.expectStatus('complete');
  expect((await chat.answerText()).trim()).toBe(SCRIPTED_SENTENCE);

  // Its files are the person's own, and are deleted on demand.
  const state = await serverState(server.url);
  const id = state.downloads[0]?.model_id ?? '';
  expect(state.current_model).toBe(id);
  await models.open();
  await models.model(id).getByRole('button', { name: 'Delete…' }).click();
  const asked = page.getByRole('alertdialog');
  await expect(asked).toContainText(`${NAME}.gguf`);
  await expect(asked).toContainText('KB');
  await page.getByTestId('confirm-delete').click();
  await expect(models.model(id)).toHaveCount(0);
  await expect(models.model('guide')).toBeVisible();
});

test('a download rests and goes on', async ({ models, hub, page }) => {
  await choose(models, page);
  hub.misbehave({ kind: 'stall', at: 100_000 });
  const card = await download(models, page);
  await expect(card.getByRole('progressbar')).not.toHaveAttribute('aria-valuenow', '0');
  await card.getByRole('button', { name: 'Pause' }).click();
  await expect(card).toHaveAttribute('data-status', 'paused');
  await expect(page.getByTestId('tab-downloads')).toHaveText('Downloads');
  expect(await accessibilityFaults(page)).toEqual([]);
  await card.getByRole('button', { name: 'Resume' }).click();
  await expect(card).toHaveAttribute('data-status', 'done');
  await card.getByRole('button', { name: 'Use it' }).click();
  await expect(page.getByTestId('composer')).toBeFocused();
});

test('a download that fails says why, and is tried again on demand', async ({
  models,
  hub,
  page,
}) => {
  await choose(models, page);
  hub.misbehave({ kind: 'status', status: 404 }, { place: 'resolve', times: 50 });
  const card = await download(models, page);
  await expect(card).toHaveAttribute('data-status', 'failed');
  await expect(card.getByTestId('download-reason')).toContainText(/\w+ \w+/);
  await expect(page.getByTestId('notice')).toContainText(`${NAME} could not be downloaded`);
  expect(await accessibilityFaults(page)).toEqual([]);
  hub.behave();
  await card.getByRole('button', { name: 'Try again' }).click();
  await expect(card).toHaveAttribute('data-status', 'done');
});

test('a download that is cancelled leaves nothing', async ({ models, hub, page, server }) => {
  await choose(models, page);
  hub.misbehave({ kind: 'stall', at: 100_000 });
  const card = await download(models, page);
  await expect(page.getByTestId('tab-downloads')).toContainText('1 under way');
  await card.getByRole('button', { name: 'Cancel and remove what came' }).click();
  await expect(card).toHaveCount(0);
  await expect(page.getByText('Nothing is being downloaded')).toBeVisible();
  expect((await serverState(server.url)).downloads).toEqual([]);
});
