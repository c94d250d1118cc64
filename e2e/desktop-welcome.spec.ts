// The first run in the app: the system's own dialog for the folder, without a network, and who sees it.
import { expect } from '@playwright/test';
import { serverState } from './api.js';
import { type DesktopApp, test } from './desktop-app.js';
import { removeFolder, temporaryFolder } from './folders.js';
import { WelcomePage } from './welcome-page.js';

/** Nobody answers there. */
const OFFLINE = { HF_ENDPOINT: 'http://127.0.0.1:9' };

/** From now on the system's dialog gives this folder; null: it is closed without one. */
async function answerFolderDialog(app: DesktopApp, folder: string | null): Promise<void> {
  await app.electron.evaluate(({ dialog }, chosen) => {
    const answer = { canceled: chosen === null, filePaths: chosen === null ? [] : [chosen] };
    Object.assign(dialog, { showOpenDialog: async () => answer });
  }, folder);
}

test('a first start without a network ends in a chat that answers, and is never repeated', async ({
  launch,
}) => {
  const app = await launch({ isFirstRun: true, env: OFFLINE });
  const url = await app.ready();
  const welcome = new WelcomePage(app.page);
  await welcome.expectStep('folder');
  const shown = app.page.getByTestId('welcome-folder-path');
  const before = (await shown.textContent()) ?? '';
  const choose = app.page.getByRole('button', { name: 'Choose another folder…' });
  const folder = await temporaryFolder('pilotlight models');
  try {
    await answerFolderDialog(app, folder);
    await choose.click();
    await expect(shown).toHaveText(folder);
    expect((await serverState(url)).models_dir).toBe(folder);
    await answerFolderDialog(app, null);
    await choose.click();
    await app.page.getByRole('button', { name: 'Use the usual folder' }).click();
    await expect(shown).toHaveText(before);
  } finally {
    await removeFolder(folder);
  }

  await welcome.goOn('model');
  await expect(app.page.getByRole('alert')).toContainText('Models cannot be fetched right now');
  await expect(welcome.guide).toBeChecked();
  await welcome.goOn('done');
  await expect(welcome.step('done')).toContainText('tray');
  await welcome.next.click();
  await welcome.expectOver();
  await app.chat.ask('What can you do?');
  await app.chat.expectStatus('complete');
  await expect
    .poll(async () => (await serverState(url)).preferences)
    .toMatchObject({ welcomed: true, welcome_step: null });
  await app.close();

  const again = await launch({ profile: app.profile, env: OFFLINE });
  await again.ready();
  await new WelcomePage(again.page).expectOver();
});

test('it goes on at the next start where it was left', async ({ launch }) => {
  const app = await launch({ isFirstRun: true, env: OFFLINE });
  const url = await app.ready();
  const welcome = new WelcomePage(app.page);
  await welcome.expectStep('folder');
  await welcome.goOn('model');
  await expect.poll(async () => (await serverState(url)).preferences.welcome_step).toBe('model');
  await app.close();

  // Its port is another one, and so is all that the page could have kept by itself.
  const again = await launch({ profile: app.profile, env: OFFLINE });
  await again.ready();
  await new WelcomePage(again.page).expectStep('model');
});

test('who has models of before never sees it', async ({ launch }) => {
  const app = await launch({ isFirstRun: true, models: ['scripted'] });
  const url = await app.ready();
  await expect
    .poll(async () => (await serverState(url)).preferences)
    .toMatchObject({ welcomed: true });
  await new WelcomePage(app.page).expectOver();
});
