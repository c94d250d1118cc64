import { expect, type Page } from '@playwright/test';
import { accessibilityFaults } from './axe.js';
import { browserTest } from './browser.js';
import { ChatPage } from './chat-page.js';
import { newChat } from './chats-api.js';
import { type Served, serve } from './serve.js';

const test = browserTest.extend<{ server: Served; chat: ChatPage }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern.
  server: async ({}, use) => {
    const server = await serve(['scripted', 'slow']);
    await use(server);
    await server.stop();
  },
  chat: async ({ page, server }, use) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.goto(server.url);
    const chat = new ChatPage(page);
    await chat.ready();
    await use(chat);
  },
});

const field = (page: Page) => page.getByTestId('palette-field');
const options = (page: Page) => page.getByRole('option');

test('a command is found by some of its letters, and comes first next time', async ({
  page,
  chat,
}) => {
  await expect(chat.composer).toBeFocused();
  await page.keyboard.press('Control+k');
  await expect(field(page)).toBeFocused();
  await page.keyboard.type('sett');
  await expect(options(page).first()).toHaveText(/^Settings/);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/#\/settings/);
  await expect(field(page)).toHaveCount(0);

  await page.keyboard.press('Control+k');
  await expect(page.getByRole('group', { name: 'Recent' })).toContainText('Settings');
  // The same keys close it.
  await page.keyboard.press('Control+k');
  await expect(field(page)).toHaveCount(0);
});

test('chats, models and settings are found by name', async ({ page, server, chat }) => {
  const { id } = await newChat(server.url, 'Übersetzung ins Französische');
  await expect(page.getByTestId('chat-link')).toHaveCount(1);
  await page.keyboard.press('Control+k');
  await expect(field(page)).toBeFocused();
  await page.keyboard.type('ubers');
  await expect(options(page).first()).toContainText('Übersetzung');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(`#/chat/${id}$`));

  await page.keyboard.press('Control+k');
  await expect(field(page)).toBeFocused();
  await page.keyboard.type('slow');
  await expect(options(page).first()).toContainText('slow');
  await page.keyboard.press('Enter');
  await chat.expectModel('slow');

  await page.keyboard.press('Control+k');
  await expect(field(page)).toBeFocused();
  await page.keyboard.type('text size');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/#\/settings\/appearance/);
});

test('what nothing is called is looked for in the texts', async ({ page, chat }) => {
  await expect(chat.composer).toBeFocused();
  await page.keyboard.press('Control+k');
  await expect(field(page)).toBeFocused();
  await page.keyboard.type('qqzz');
  await expect(options(page)).toHaveText(['Search all chats for “qqzz”']);
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('search-field')).toHaveValue('qqzz');
  await expect(page.getByText('Nothing was found for “qqzz”.')).toBeVisible();
});

test('keys work on a keyboard with other letters, and not while something is open', async ({
  page,
  chat,
}) => {
  await expect(chat.composer).toBeVisible();
  const press = (key: string, code: string) =>
    page.evaluate((init) => document.body.dispatchEvent(new KeyboardEvent('keydown', init)), {
      key,
      code,
      ctrlKey: true,
      bubbles: true,
      cancelable: true,
    });
  // A Cyrillic layout has "л" where others have "k".
  await press('л', 'KeyK');
  await expect(field(page)).toBeVisible();
  await press('и', 'KeyB');
  await page.keyboard.press('Escape');
  await expect(field(page)).toHaveCount(0);
  await expect(page.getByTestId('models')).toBeVisible();
  await press('и', 'KeyB');
  await expect(page.getByTestId('models')).toHaveCount(0);
});

test('the main keys do what the list of keys says', async ({ page, chat }) => {
  await page.keyboard.press('Control+/');
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('heading', { name: 'Keyboard shortcuts' })).toBeVisible();
  await expect(dialog).toContainText('Ctrl+Shift+O');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);

  await page.keyboard.press('Control+Shift+M');
  await expect(page.getByRole('heading', { level: 1, name: 'Models' })).toBeVisible();
  await page.keyboard.press('Control+Shift+O');
  await expect(chat.composer).toBeFocused();
  await page.keyboard.press('Control+Shift+L');
  await expect(page.getByTestId('model-option-slow')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('model-option-slow')).toHaveCount(0);
  await page.getByTestId('models').focus();
  await page.keyboard.press('Control+i');
  await expect(chat.composer).toBeFocused();

  const theme = () => page.evaluate(() => document.documentElement.dataset.theme ?? 'system');
  await page.keyboard.press('Control+Shift+H');
  await expect.poll(theme).toBe('dark');
  await page.keyboard.press('Control+Shift+H');
  await expect.poll(theme).toBe('light');
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`everybody can read and use it, ${colorScheme}`, async ({ page, server, chat }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await newChat(server.url, 'Tomatoes');
    await expect(chat.composer).toBeVisible();
    await page.keyboard.press('Control+k');
    await expect(options(page).first()).toBeVisible();
    const all = await accessibilityFaults(page);
    await page.keyboard.type('mod');
    await expect(options(page).first()).toContainText('Mod');
    const found = await accessibilityFaults(page);
    expect({ all, found }).toEqual({ all: [], found: [] });
  });
}
