import { once } from 'node:events';
import { expect } from '@playwright/test';
import { type DesktopApp, start, test } from './desktop-app.js';

const hashOf = (app: DesktopApp) => new URL(app.page.url()).hash;

/** Follows a link as the system does: it starts the app once more, which hands over to the one that runs. */
async function follow(app: DesktopApp, link: string): Promise<void> {
  const { child } = await start([`--user-data-dir=${app.profile}`, link]);
  const [code] = await once(child, 'close');
  expect(code).toBe(0);
}

test('a link shows its place in the window, from wherever that was', async ({ launch }) => {
  const app = await launch();
  await app.ready();
  await app.closeWindow();
  await expect.poll(() => app.isVisible()).toBe(false);
  await follow(app, 'pilotlight://models/discover');
  await expect.poll(() => app.isVisible()).toBe(true);
  await expect.poll(() => hashOf(app)).toBe('#/models/discover');
  await follow(app, 'pilotlight://models/discover/owner/some-GGUF');
  await expect.poll(() => hashOf(app)).toBe('#/models/discover/owner/some-GGUF');
});

test('a link with a question fills the field, and sends nothing', async ({ launch }) => {
  const app = await launch({ models: ['scripted'] });
  await app.ready();
  await follow(app, 'pilotlight://chat?q=Who%20asks%3F');
  await expect(app.chat.composer).toHaveValue('Who asks?');
  await expect(app.chat.answers).toHaveCount(0);
});

test('the app can be started by a link, before its page is there', async ({ launch }) => {
  const app = await launch({
    args: ['--port=0', '--hidden', 'pilotlight://models/downloads'],
  });
  await app.ready();
  await expect.poll(() => hashOf(app)).toBe('#/models/downloads');
  await expect.poll(() => app.isVisible()).toBe(true);
});

test('an unknown link is told in words and changes nothing', async ({ launch }) => {
  const app = await launch();
  await app.ready();
  await app.answerBoxes({ response: 0, checkboxChecked: false });
  await follow(app, 'pilotlight://models?delete=all');
  await expect.poll(() => app.boxes()).toHaveLength(1);
  const [box] = await app.boxes();
  expect(box?.message).toBe('Pilotlight does not know this link.');
  expect(box?.detail).toContain('pilotlight://models?delete=all');
  expect(hashOf(app)).toBe('');
});
