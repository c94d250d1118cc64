import fs from 'node:fs/promises';
import { expect } from '@playwright/test';
import { TestHub } from '../server/hub/test-hub.js';
import { accessibilityFaults } from './axe.js';
import { browserTest } from './browser.js';
import { ChatPage } from './chat-page.js';
import { testModelFile } from './folders.js';
import { ModelsPage } from './models-page.js';
import { type Served, serve } from './serve.js';

/** A repo with a small quantisation and a large one. */
const REPO = 'ada/scripted-gguf';
const GATED = 'ada/behind-a-gate-gguf';

const test = browserTest.extend<{ hub: TestHub; server: Served; models: ModelsPage }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern.
  hub: async ({}, use) => {
    const hub = await TestHub.start();
    const model = await fs.readFile(await testModelFile('scripted'));
    const large = await fs.readFile(await testModelFile('slow'));
    hub.addRepo(REPO, {
      ...{ downloads: 1_234_567, likes: 42, license: 'apache-2.0' },
      files: { 'scripted-Q4_K_M.gguf': model, 'scripted-F32.gguf': large },
      gguf: { total: 164_300, architecture: 'llama', context_length: 4096 },
    });
    hub.addRepo(GATED, { files: { 'gated-Q8_0.gguf': model }, gated: true });
    for (let i = 0; i < 40; i += 1) {
      hub.addRepo(`bob/another-${i}-gguf`, { files: { 'a-Q8_0.gguf': model }, downloads: i });
    }
    await use(hub);
    await hub.close();
  },
  server: async ({ hub }, use) => {
    const server = await serve([], [], { HF_ENDPOINT: hub.endpoint });
    // Room for the small one, and not for the large one.
    await fetch(`${server.url}/pilotlight/settings`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ memory_budget_bytes: 20_000_000 }),
    });
    await use(server);
    await server.stop();
  },
  models: async ({ page, server }, use) => {
    await page.goto(server.url);
    await new ChatPage(page).ready();
    const models = new ModelsPage(page);
    await models.open();
    await models.tab('discover');
    await use(models);
  },
});

test('a search finds repos, and more of them on demand', async ({ models, page }) => {
  const results = page.locator('.discover-search .card');
  await expect(results).toHaveCount(30);
  const status = page.locator('.discover-status');
  await expect(status).toHaveText('The first 30 results');
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect(results).toHaveCount(42);
  await expect(status).toHaveText('42 results');
  await expect(page.getByRole('button', { name: 'Show more' })).toHaveCount(0);
  await models.search.fill('scripted');
  await expect(results).toHaveCount(1);
  await expect(results).toContainText('1.2M downloads');
  await models.search.fill('no such model');
  await expect(page.getByText('Nothing found')).toBeVisible();
});

test('a repo tells which of its quantisations fits, and the context changes what it takes', async ({
  models,
  page,
}) => {
  await models.search.fill('scripted');
  await page.getByTestId(`repo-${REPO}`).click();
  const small = page.getByTestId('variant-scripted-Q4_K_M');
  await expect(small).toContainText('Recommended');
  await expect(small).toContainText('Fits');
  await expect(small.getByRole('radio')).toBeChecked();
  await expect(page.getByTestId('variant-scripted-F32')).toContainText('Too big');
  const cost = page.locator('.fit-line');
  await expect(cost).toContainText('Needs');
  const before = await cost.textContent();
  await page.getByRole('slider', { name: 'Context' }).press('Home');
  await expect(cost).not.toHaveText(before ?? '');
  await small.getByRole('radio').focus();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('button', { name: /^Download 12 MB anyway$/ })).toBeVisible();
});

test('a gated repo says what is to be done, and a token is entered in the settings', async ({
  models,
  page,
  hub,
}) => {
  await models.search.fill('gate');
  await page.getByTestId(`repo-${GATED}`).click();
  await page.getByRole('link', { name: 'Enter a token' }).click();
  // The mirror is the environment's.
  await expect(page.getByLabel('Address of a mirror')).toHaveAttribute('placeholder', hub.endpoint);
  const token = page.getByLabel('Access token');
  await token.fill('hf_letmein');
  await token.press('Enter');
  await expect(page.getByText('It is ada’s.')).toBeVisible();
  await page.getByRole('button', { name: 'Remove the token' }).click();
  await expect(page.getByText('It is ada’s.')).toHaveCount(0);
});

test('a hub that fails is told in words; what was found stays, and another try goes on', async ({
  models,
  hub,
  page,
}) => {
  const results = page.locator('.discover-search .card');
  await expect(results).toHaveCount(30);
  hub.misbehave({ kind: 'hang-up' }, { place: 'api', times: 50 });
  await models.search.fill('scripted');
  await expect(page.getByRole('alert')).toContainText('These are the results of an earlier search');
  await expect(results).toHaveCount(30);
  hub.behave();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(results).toHaveCount(1);
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('a machine that is offline says so, and looks again on demand', async ({
  hub,
  server,
  page,
}) => {
  hub.misbehave({ kind: 'hang-up' }, { place: 'api', times: 50 });
  await page.goto(`${server.url}/#/models/discover`);
  await expect(page.getByRole('alert')).toContainText('The search did not work');
  expect(await accessibilityFaults(page)).toEqual([]);
  hub.behave();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByTestId(`repo-${REPO}`)).toBeVisible();
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`everybody can find a model, ${colorScheme}`, async ({ models, page }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const faults: Record<string, string[]> = {};
    await models.search.fill('ada');
    await expect(page.getByTestId(`repo-${GATED}`)).toBeVisible();
    faults.results = await accessibilityFaults(page);
    await page.getByTestId(`repo-${REPO}`).click();
    await expect(page.getByTestId('variant-scripted-F32')).toContainText('Too big');
    faults.repo = await accessibilityFaults(page);
    await page.getByTestId(`repo-${GATED}`).click();
    await expect(page.getByRole('link', { name: 'Enter a token' })).toBeVisible();
    faults.gated = await accessibilityFaults(page);
    expect(faults).toEqual({ results: [], repo: [], gated: [] });
  });
}
