import { expect } from '@playwright/test';
import { openAiClient, serverState } from './api.js';
import { accessibilityFaults } from './axe.js';
import { browserTest } from './browser.js';
import { ChatPage } from './chat-page.js';
import { putModels, removeFolder, temporaryFolder } from './folders.js';
import { ModelsPage } from './models-page.js';
import { type Served, serve } from './serve.js';

const test = browserTest.extend<{ server: Served; models: ModelsPage }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern.
  server: async ({}, use) => {
    const server = await serve(['scripted']);
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

test('a folder that is added shows its models, and one that is none says why', async ({
  models,
  page,
}) => {
  const folder = await temporaryFolder('pilotlight-more-models');
  await putModels(folder, ['greedy']);
  await models.settings('folders');
  const field = page.getByLabel('Add a folder');
  await field.fill(`${folder}/not-there`);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(page.getByRole('alert')).toContainText('not-there');
  await field.fill(folder);
  await field.press('Enter');
  await expect(page.getByRole('button', { name: `Do not look in ${folder}` })).toBeVisible();
  await expect(field).toHaveValue('');
  await models.open();
  const added = page.getByRole('article', { name: /greedy/ });
  await expect(added).toContainText('Added folder');
  // What is not our own is never deleted.
  await expect(added.getByRole('button', { name: 'Delete…' })).toHaveCount(0);

  await models.settings('folders');
  await page.getByRole('button', { name: `Do not look in ${folder}` }).click();
  await models.open();
  await expect(models.model('scripted')).toBeVisible();
  await expect(added).toHaveCount(0);
  await removeFolder(folder);
});

test('the memory budget is changed, and what cannot be one is refused in words', async ({
  models,
  page,
  server,
}) => {
  await models.settings('models');
  const budget = page.getByLabel('Memory for models');
  await budget.fill('1.5');
  await budget.press('Enter');
  await expect
    .poll(async () => (await serverState(server.url)).memory.budget_bytes)
    .toBeLessThanOrEqual(1_500_000_000);
  await page.reload();
  await expect(budget).toHaveValue('1.5');
  await page.getByLabel('Idle models leave memory after').selectOption('300');
  const wait = page.getByLabel('Longest wait of a request for memory');
  await wait.fill('0');
  await wait.press('Enter');
  await expect(page.getByRole('alert')).toContainText('from 1 to 86,400');
  // Escape takes back what was typed, and does not leave the page.
  await wait.press('Escape');
  await expect(page.getByRole('alert')).toHaveCount(0);
  await page.reload();
  await expect(page.getByLabel('Idle models leave memory after')).toHaveValue('300');
});

test('a model gets a further name, by which programs reach it at once', async ({
  models,
  page,
  server,
}) => {
  await models.model('scripted').getByRole('button', { name: 'Settings' }).click();
  const panel = page.getByRole('dialog');
  await expect(panel).toContainText('scripted');
  await panel.getByLabel('Requests at the same time').fill('999');
  await expect(panel.getByRole('alert')).toContainText('from 1 to 256');
  await panel.getByLabel('Requests at the same time').fill('2');
  await panel.getByLabel('Further names for programs').fill('gpt-4o');
  await panel.getByRole('button', { name: 'Save' }).click();
  await expect(panel).toHaveCount(0);
  await expect(models.model('scripted')).toContainText('gpt-4o');
  const answer = await openAiClient(server.url).chat.completions.create({
    model: 'gpt-4o',
    messages: [{ role: 'user', content: 'Hello?' }],
  });
  expect(answer.choices[0]?.message.content).not.toBe('');

  // A name that another model has is refused, and nothing that was typed is lost.
  await models.model('guide').getByRole('button', { name: 'Settings' }).click();
  await panel.getByLabel('Further names for programs').fill('gpt-4o');
  await panel.getByRole('button', { name: 'Save' }).click();
  await expect(panel.getByRole('alert')).toContainText('scripted');
  await expect(panel.getByLabel('Further names for programs')).toHaveValue('gpt-4o');
  await page.keyboard.press('Escape');
  await expect(panel).toHaveCount(0);

  // A name takes no memory, and does not stand in the way of what the rest takes.
  await models.model('scripted').getByRole('button', { name: 'Settings' }).click();
  await expect(panel).toContainText('Needs');
});

test('what settings cost in memory is told as they are typed', async ({ models, page }) => {
  await models.model('scripted').getByRole('button', { name: 'Settings' }).click();
  const panel = page.getByRole('dialog');
  await expect(panel).toContainText('Needs');
  await expect(panel).toContainText('Context of 4K tokens');
  await panel.getByLabel('Context, in tokens').fill('512');
  await expect(panel).toContainText('Context of 512 tokens');
  await panel.getByRole('button', { name: 'All automatic' }).click();
  await expect(panel).toContainText('Context of 4K tokens');
});

test('a model is pinned and let go again', async ({ models }) => {
  const card = models.model('scripted');
  await card.getByRole('button', { name: 'Keep in memory' }).click();
  await expect(card).toContainText('Pinned');
  await card.getByRole('button', { name: 'Let it leave memory' }).click();
  await expect(card).not.toContainText('Pinned');
});

test('models of another server appear beside the own ones', async ({ models, page }) => {
  const other = await serve(['greedy']);
  await models.settings('upstreams');
  await page.getByRole('button', { name: 'Add a server…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('The other one');
  await dialog.getByLabel('Address').fill(other.url);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);
  const card = page.getByTestId('upstream-The other one');
  await expect(card).toBeVisible();
  await models.open();
  await expect(models.model('greedy')).toContainText('The other one');

  await models.settings('upstreams');
  await card.getByRole('switch', { name: 'Use The other one' }).click();
  await expect(card).toContainText('Switched off');
  await models.open();
  await expect(models.model('scripted')).toBeVisible();
  await expect(models.model('greedy')).toHaveCount(0);
  await models.settings('upstreams');
  await card.getByRole('button', { name: 'Remove' }).click();
  await expect(card).toHaveCount(0);
  await other.stop();
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`everybody can read and use the settings, ${colorScheme}`, async ({ models, page }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const faults: Record<string, string[]> = {};
    await models.settings('upstreams');
    await expect(page.getByRole('heading', { name: 'Other servers' })).toBeVisible();
    faults.settings = await accessibilityFaults(page);
    await page.getByRole('button', { name: 'Add a server…' }).click();
    await expect(page.getByRole('dialog')).toBeVisible();
    faults.upstream = await accessibilityFaults(page);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await models.open();
    await models.model('scripted').getByRole('button', { name: 'Settings' }).click();
    await expect(page.getByLabel('Context, in tokens')).toBeVisible();
    faults.model = await accessibilityFaults(page);
    expect(faults).toEqual({ settings: [], upstream: [], model: [] });
  });
}
