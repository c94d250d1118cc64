import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { expect } from '@playwright/test';
import { TestFeed } from '../app/updates/test-feed.js';
import { type DesktopApp, test } from './desktop-app.js';
import { removeFolder, temporaryFolder } from './folders.js';

const isPackaged = process.env.PILOTLIGHT_E2E_EXECUTABLE !== undefined;
const update = (app: DesktopApp) => app.page.evaluate(() => window.pilotlight?.update());
const check = (app: DesktopApp) => app.page.evaluate(() => window.pilotlight?.checkForUpdate());

let feed: TestFeed;
let folder: string;

test.beforeEach(async () => {
  feed = await new TestFeed().open();
  folder = await temporaryFolder('pilotlight-update');
});

test.afterEach(async () => {
  await feed.close();
  await removeFolder(folder);
});

const environment = () => ({
  PILOTLIGHT_UPDATES_URL: feed.url,
  XDG_CACHE_HOME: folder,
  TEST_UPDATER_ARCH: 'x64',
});

test('an app that runs from its sources looks for no updates', async ({ launch }) => {
  test.skip(isPackaged, 'This one is packaged.');
  feed.offer('9.0.0', { 'Pilotlight-9.0.0.AppImage': Buffer.from('new') });
  const app = await launch({ env: environment() });
  await app.ready();
  await check(app);
  expect(await update(app)).toEqual({ kind: 'unsupported', reason: 'from_source' });
  expect(feed.requests).toHaveLength(0);
});

test('a new version is told, fetched and put in place only when the person says so', async ({
  launch,
}) => {
  test.skip(!isPackaged || process.platform !== 'linux', 'Only a package replaces itself.');
  // The image of the new version only says that it ran, and not when it is asked to put itself in place.
  const marker = path.join(folder, 'started');
  const image = Buffer.from(
    `#!/bin/sh\n[ -z "$APPIMAGE_EXIT_AFTER_INSTALL" ] && echo new > '${marker}'\nexit 0\n`,
  );
  const current = path.join(folder, 'Pilotlight.AppImage');
  fs.writeFileSync(current, 'the old image');
  feed.offer('9.0.0', { 'Pilotlight-9.0.0.AppImage': image });
  const app = await launch({ env: { ...environment(), APPIMAGE: current } });
  await app.ready();
  await app.page.evaluate(() => {
    location.hash = '#/settings/general';
  });
  const status = app.page.getByTestId('update-status');
  await status.getByRole('button', { name: 'Look now' }).click();
  await expect(status).toContainText('Version 9.0.0 is there.');
  await expect(app.chat.notices.filter({ hasText: 'Version 9.0.0 is there.' })).toBeVisible();
  const asked = () => feed.requests.map(({ url }) => new URL(url ?? '', feed.url).pathname);
  expect(new Set(asked())).toEqual(new Set(['/latest-linux.yml']));

  await status.getByRole('button', { name: 'Download' }).click();
  await expect(status).toContainText('Version 9.0.0 is ready.');
  expect(fs.readFileSync(current, 'utf8')).toBe('the old image');
  expect(fs.existsSync(marker)).toBe(false);

  await status.getByRole('button', { name: 'Restart to update' }).click();
  await app.ended();
  await expect.poll(() => fs.existsSync(marker)).toBe(true);
  const sum = (content: Buffer) => createHash('sha256').update(content).digest('hex');
  expect(sum(fs.readFileSync(current))).toBe(sum(image));
});

test('what is downloaded is verified, and an archive is only told where to look', async ({
  launch,
}) => {
  test.skip(!isPackaged || process.platform !== 'linux', 'Only a package looks for updates.');
  const current = path.join(folder, 'Pilotlight.AppImage');
  fs.writeFileSync(current, 'the old image');
  feed.offer('9.0.0', { 'Pilotlight-9.0.0.AppImage': Buffer.from('the new image') });
  feed.answers.set('/Pilotlight-9.0.0.AppImage', 'another image');
  const app = await launch({ env: { ...environment(), APPIMAGE: current } });
  await app.ready();
  await check(app);
  await expect.poll(async () => (await update(app))?.kind).toBe('available');
  await app.page.evaluate(() => window.pilotlight?.downloadUpdate());
  await expect.poll(() => update(app)).toMatchObject({ kind: 'failed', reason: 'damaged' });
  expect(fs.readFileSync(current, 'utf8')).toBe('the old image');
  await app.close();

  feed.offer('9.0.0', { 'pilotlight-9.0.0-linux-x64.tar.gz': Buffer.from('an archive') });
  const archive = await launch({ env: environment() });
  await archive.ready();
  await check(archive);
  await expect
    .poll(() => update(archive))
    .toMatchObject({
      kind: 'available',
      installable: false,
      page: `${feed.url}pilotlight-9.0.0-linux-x64.tar.gz`,
    });
});
