import { expect } from '@playwright/test';
import { accessibilityFaults } from './axe.js';
import { browserTest as test } from './browser.js';
import { ChatPage } from './chat-page.js';
import { serve } from './serve.js';

test('a server with keys asks for one, says where they come from, and opens', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const server = await serve(['scripted'], ['--api-key', 'right']);
  try {
    await page.goto(server.url);
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('--api-key');
    await expect(dialog).toContainText('pilotlight keys add');
    await dialog.getByLabel('Key').fill('wrong');
    await dialog.getByRole('button', { name: 'Connect' }).click();
    await expect(dialog.getByRole('alert')).toContainText('did not take that key');
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog.getByLabel('Key').fill('right');
    await dialog.getByRole('button', { name: 'Connect' }).click();
    const chat = new ChatPage(page);
    await chat.ready();
    await chat.pickModel('scripted');
  } finally {
    await server.stop();
  }
});
