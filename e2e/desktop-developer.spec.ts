// The developer page in the app: the window moves with its server, and the tray and the page say the same.
import fs from 'node:fs/promises';
import path from 'node:path';
import { expect } from '@playwright/test';
import { test } from './desktop-app.js';
import { temporaryFolder } from './folders.js';
import { freePort } from './processes.js';

test('the port moves and the window goes along; the tray switches the API', async ({ launch }) => {
  const [first, second] = [await freePort(), await freePort()];
  const profile = await temporaryFolder('pilotlight-e2e');
  const write = (name: string, content: object) =>
    fs.writeFile(path.join(profile, name), JSON.stringify(content));
  await write('settings.json', { port: first, preferences: { welcomed: true } });
  await write('desktop.json', { toldAboutTray: true, closeWithoutTray: 'keep' });
  const app = await launch({ profile, args: [] });
  expect(await app.ready()).toBe(`http://127.0.0.1:${first}`);

  await app.page.getByTestId('developer').click();
  const port = app.page.getByLabel('Port', { exact: true });
  await port.fill(String(second));
  await port.press('Enter');
  const moved = `http://127.0.0.1:${second}`;
  await expect.poll(() => app.page.url()).toBe(`${moved}/#/developer/server`);
  await app.trayItem('copy-address', `Copy API address (${moved}/v1)`);
  await expect(app.page.getByTestId('api-address')).toHaveText(`${moved}/v1`);

  await app.clickTray('serving');
  await expect(app.page.getByRole('heading', { name: 'Programs are refused' })).toBeVisible();
  expect((await fetch(`${moved}/v1/models`)).status).toBe(503);
  // The menu follows a little later.
  await expect
    .poll(async () => (await app.trayItems()).find(({ id }) => id === 'serving')?.checked)
    .toBe(false);
  await app.clickTray('serving');
  await expect(app.page.getByRole('heading', { name: 'Programs are served' })).toBeVisible();

  // The window has a key of the person's own, so the inspector asks for none.
  await app.page.getByTestId('tab-requests').click();
  const keep = app.page.getByRole('switch', { name: 'Keep what is asked and answered' });
  await keep.click();
  await expect(keep).toBeChecked();
});
