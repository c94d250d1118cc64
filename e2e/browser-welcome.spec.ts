// The first run in a browser: its three screens, with a hub and without one, and who sees it.
import fs from 'node:fs/promises';
import path from 'node:path';
import { expect } from '@playwright/test';
import { SCRIPTED_SENTENCE } from '../scripts/test-models/scripts.js';
import { TestHub } from '../server/hub/test-hub.js';
import { serverState } from './api.js';
import { accessibilityFaults } from './axe.js';
import { browserTest } from './browser.js';
import { ChatPage } from './chat-page.js';
import { removeFolder, temporaryFolder, testModelFile } from './folders.js';
import { type Served, serve } from './serve.js';
import { WelcomePage } from './welcome-page.js';

/** Of the suggested models, so that there is something to be found; small inside. */
const LARGE = 'Qwen/Qwen3-8B-GGUF';
const SMALL = 'Qwen/Qwen3-4B-GGUF';
const fileOf = (repo: string) => `${path.posix.basename(repo)}-Q4_K_M.gguf`;

/** Memory for 8 GB of models, whatever this machine has, and nobody who has been here before. */
const FIRST_RUN = { memory_budget_bytes: 8_000_000_000, preferences: {} };

const test = browserTest.extend<{ hub: TestHub; server: Served; welcome: WelcomePage }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern.
  hub: async ({}, use) => {
    const hub = await TestHub.start();
    const model = await fs.readFile(await testModelFile('scripted'));
    for (const repo of [LARGE, SMALL]) hub.addRepo(repo, { files: { [fileOf(repo)]: model } });
    await use(hub);
    await hub.close();
  },
  server: async ({ hub }, use) => {
    const server = await serve([], [], { HF_ENDPOINT: hub.endpoint }, FIRST_RUN);
    await use(server);
    await server.stop();
  },
  welcome: async ({ page, server }, use) => {
    await page.goto(server.url);
    const welcome = new WelcomePage(page);
    await welcome.expectStep('folder');
    await use(welcome);
  },
});

const preferencesOf = async (server: Served) => (await serverState(server.url)).preferences;

test('from the folder over a model to the first answer, and never again', async ({
  welcome,
  page,
  server,
}) => {
  await expect(page.getByTestId('welcome-folder-path')).toHaveText(
    path.join(server.data, 'models'),
  );
  await expect(welcome.step('folder')).toContainText(/ free/);
  await welcome.goOn('model');
  await expect(welcome.offer(LARGE)).toContainText('Recommended');
  await expect(welcome.offer(LARGE)).toContainText('Fast on this machine');
  await expect(welcome.offer(SMALL)).toBeVisible();
  await welcome.expectAllFound();
  await expect(welcome.offer(LARGE).getByRole('radio')).toBeChecked();
  await expect(welcome.next).toHaveText(/^Download \d/);
  await welcome.goOn('done');
  await expect(welcome.step('done')).toContainText(/scripted answers from your own machine/);
  await expect(welcome.step('done').getByText(`${server.url}/v1`)).toBeVisible();
  await expect(welcome.step('done')).toContainText('Anthropic or Ollama use it without /v1');
  await welcome.next.click();
  await welcome.expectOver();
  const chat = new ChatPage(page);
  await chat.expectModel('scripted');
  await chat.ask('Hello?');
  await chat.expectStatus('complete');
  expect((await chat.answerText()).trim()).toBe(SCRIPTED_SENTENCE);

  await expect
    .poll(() => preferencesOf(server))
    .toMatchObject({ welcomed: true, welcome_step: null });
  await page.goto(`${server.url}/#/`);
  await page.reload();
  await chat.ready();
  await welcome.expectOver();
});

test('a download that takes long goes on in the background', async ({
  welcome,
  hub,
  page,
  server,
}) => {
  await welcome.goOn('model');
  await welcome.expectAllFound();
  await expect(welcome.offer(LARGE).getByRole('radio')).toBeChecked();
  hub.misbehave({ kind: 'stall', at: 100_000 });
  await welcome.goOn('done');
  await expect(page.getByRole('progressbar')).not.toHaveAttribute('aria-valuenow', '0');
  await expect(welcome.step('done')).toContainText('Until it is here, Guide answers.');
  // Whoever goes back finds it on its way.
  await welcome.back('model');
  await expect(welcome.offer(LARGE)).toContainText('Being downloaded');
  await expect(welcome.next).toHaveText('Continue');
  await welcome.goOn('done');
  await welcome.next.click();
  await welcome.expectOver();
  await new ChatPage(page).expectModel('guide');
  expect((await serverState(server.url)).downloads).toHaveLength(1);
});

test('it goes on where it was left, in any window', async ({ welcome, page, server, browser }) => {
  await welcome.goOn('model');
  await welcome.guide.check();
  await welcome.goOn('done');
  await welcome.back('model');
  await expect(welcome.guide).toBeChecked();
  await expect.poll(async () => (await preferencesOf(server)).welcome_step).toBe('model');
  const context = await browser.newContext();
  const other = new WelcomePage(await context.newPage());
  await other.page.goto(server.url);
  await other.expectStep('model');
  await other.guide.check();
  await other.goOn('done');
  await other.next.click();
  await other.expectOver();
  await context.close();
  // The browser's own back leads back as well.
  await page.goBack();
  await welcome.expectStep('done');
});

test('each screen can be skipped', async ({ welcome, page, server }) => {
  await welcome.skip.click();
  await welcome.expectOver();
  await expect.poll(() => preferencesOf(server)).toMatchObject({ welcomed: true });
  for (const step of ['model', 'done'] as const) {
    await page.goto(`${server.url}/#/welcome/${step}`);
    await welcome.expectStep(step);
    await welcome.skip.click();
    await welcome.expectOver();
  }
});

test('the settings show it again', async ({ welcome, page, server }) => {
  await welcome.skip.click();
  await welcome.expectOver();
  await page.goto(`${server.url}/#/settings/general/welcome`);
  await page.getByTestId('setting-welcome').getByRole('button').click();
  await welcome.expectStep('folder');
  await welcome.goOn('model');
  await welcome.guide.check();
  await welcome.goOn('done');
  await welcome.next.click();
  await welcome.expectOver();
});

test('who has models of before never sees it', async ({ page }) => {
  const server = await serve(['scripted'], [], {}, { preferences: {} });
  try {
    await page.goto(server.url);
    await expect.poll(() => preferencesOf(server)).toMatchObject({ welcomed: true });
    await new WelcomePage(page).expectOver();
  } finally {
    await server.stop();
  }
});

test('without a network it ends in a chat that answers', async ({ welcome, hub, page }) => {
  hub.misbehave({ kind: 'hang-up' }, { place: 'api', times: 1_000 });
  await welcome.goOn('model');
  await expect(page.getByRole('alert')).toContainText('Models cannot be fetched right now');
  await expect(welcome.step('model')).toContainText('Not reachable now');
  await expect(welcome.guide).toBeChecked();
  expect(await accessibilityFaults(page)).toEqual([]);
  await expect(welcome.next).toHaveText('Stay with Guide');
  await welcome.goOn('done');
  await welcome.next.click();
  await welcome.expectOver();
  const chat = new ChatPage(page);
  await chat.expectModel('guide');
  await chat.ask('What can you do?');
  await chat.expectStatus('complete');
});

test('a hub that is back is asked on demand', async ({ welcome, hub, page }) => {
  hub.misbehave({ kind: 'hang-up' }, { place: 'api', times: 1_000 });
  await welcome.goOn('model');
  await expect(page.getByRole('alert')).toBeVisible();
  hub.behave();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(welcome.offer(LARGE)).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('another folder is taken where models can be kept in it', async ({
  welcome,
  page,
  server,
}) => {
  const folder = await temporaryFolder('pilotlight models');
  try {
    const field = page.getByLabel('Another folder');
    const shown = page.getByTestId('welcome-folder-path');
    const choose = async (wanted: string) => {
      await field.fill(wanted);
      await field.press('Enter');
    };
    await choose('models');
    await expect(page.getByRole('alert')).toContainText('Enter a full path');
    await choose(path.join(folder, 'nothing'));
    await expect(page.getByRole('alert')).toContainText('This folder is not there.');
    await choose(import.meta.filename);
    await expect(page.getByRole('alert')).toContainText('This is a file');
    await choose(folder);
    await expect(shown).toHaveText(folder);
    await expect(page.getByRole('alert')).toHaveCount(0);
    expect((await serverState(server.url)).models_dir).toBe(folder);

    // Its drive goes, and the window is looked at again.
    await removeFolder(folder);
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await expect(page.getByRole('alert')).toContainText('If it is on a drive');
    await page.getByRole('button', { name: 'Use the usual folder' }).click();
    await expect(shown).toHaveText(path.join(server.data, 'models'));
    await expect(welcome.next).toBeEnabled();
  } finally {
    await removeFolder(folder);
  }
});

test('models of other apps are told, and the first choice', async ({ page }) => {
  const home = await temporaryFolder('pilotlight-home');
  const folder = path.join(home, '.lmstudio', 'models', 'ada', 'tiny');
  await fs.mkdir(folder, { recursive: true });
  await fs.copyFile(await testModelFile('scripted'), path.join(folder, 'scripted.gguf'));
  const sources = { lm_studio: true, hugging_face: false, llama_cpp: false, ollama: false };
  // No hub: what is here needs none.
  const env = { HOME: home, USERPROFILE: home, HF_ENDPOINT: 'http://127.0.0.1:9' };
  const server = await serve([], [], env, { ...FIRST_RUN, sources });
  try {
    await page.goto(server.url);
    const welcome = new WelcomePage(page);
    await expect(welcome.step('folder').getByRole('listitem')).toHaveText(/LM Studio.*1 model/);
    await welcome.goOn('model');
    await expect(page.getByRole('radio', { name: /scripted/ })).toBeChecked();
    await expect(welcome.next).toHaveText('Use this model');
    await welcome.goOn('done');
    await expect(welcome.step('done')).toContainText(/scripted answers from your own machine/);
    await welcome.next.click();
    await welcome.expectOver();
    await new ChatPage(page).expectModel('scripted');
  } finally {
    await server.stop();
    await removeFolder(home);
  }
});

test('the keyboard leads through all of it', async ({ welcome, page }) => {
  await expect(
    page.getByRole('heading', { level: 1, name: 'Welcome to Pilotlight' }),
  ).toBeFocused();
  await welcome.next.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Choose a first model' })).toBeFocused();
  await welcome.expectAllFound();
  await expect(welcome.offer(LARGE).getByRole('radio')).toBeChecked();
  await welcome.offer(LARGE).getByRole('radio').focus();
  await page.keyboard.press('ArrowUp');
  await expect(welcome.guide).toBeChecked();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'All set' })).toBeFocused();
});

test('its language changes at once', async ({ welcome, page, server }) => {
  await page.getByLabel('Language').selectOption('de');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Willkommen bei Pilotlight');
  await welcome.next.click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Ein erstes Modell wählen');
  await expect.poll(() => preferencesOf(server)).toMatchObject({ language: 'de' });
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`everybody can read and use each screen, ${colorScheme}`, async ({ welcome, page }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const faults: Record<string, string[]> = {};
    faults.folder = await accessibilityFaults(page);
    await welcome.goOn('model');
    await welcome.expectAllFound();
    await expect(welcome.offer(LARGE).getByRole('radio')).toBeChecked();
    faults.model = await accessibilityFaults(page);
    await welcome.guide.check();
    await welcome.goOn('done');
    faults.done = await accessibilityFaults(page);
    expect(faults).toEqual({ folder: [], model: [], done: [] });
  });
}

for (const { width, size, direction } of [
  { width: 320, size: 1, direction: 'ltr' },
  { width: 640, size: 1.6, direction: 'ltr' },
  { width: 1280, size: 1.6, direction: 'rtl' },
]) {
  test(`nothing is cut off at ${width} px, ${size}, ${direction}`, async ({
    welcome,
    page,
    server,
  }) => {
    await page.setViewportSize({ width, height: 800 });
    await fetch(`${server.url}/pilotlight/settings`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ preferences: { text_size: size, language: 'de' } }),
    });
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Willkommen bei Pilotlight');
    await page.evaluate((dir) => {
      document.documentElement.dir = dir;
    }, direction);
    for (const step of ['folder', 'model', 'done'] as const) {
      await welcome.expectStep(step);
      if (step === 'model') await expect(welcome.offer(LARGE)).toBeVisible();
      const beyond = await page.evaluate(() => {
        const all = [document.documentElement, ...document.querySelectorAll('.first-run-scroll')];
        return Math.max(...all.map((element) => element.scrollWidth - element.clientWidth));
      });
      expect(beyond, step).toBeLessThanOrEqual(0);
      if (step !== 'done') await welcome.next.click();
    }
  });
}
