import { expect, type Page } from '@playwright/test';
import { accessibilityFaults } from './axe.js';
import { browserTest } from './browser.js';
import { ChatPage } from './chat-page.js';
import { newChat } from './chats-api.js';
import { type Served, serve } from './serve.js';

const test = browserTest.extend<{ server: Served; chat: ChatPage }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern.
  server: async ({}, use) => {
    const server = await serve(['scripted']);
    await use(server);
    await server.stop();
  },
  chat: async ({ page, server }, use) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.goto(server.url);
    const chat = new ChatPage(page);
    await chat.ready();
    await chat.pickModel('scripted');
    await use(chat);
  },
});

const field = (page: Page) => page.getByTestId('search-field');
const hits = (page: Page) => page.getByTestId('search-hit');

test('a word in a question is found, and leads to its chat', async ({ page, chat }) => {
  await chat.ask('Which wild herbs grow beside the railway?');
  await chat.expectStatus('complete');
  const address = page.url();
  await page.keyboard.press('Control+Shift+O');
  await expect(chat.answers).toHaveCount(0);

  await page.keyboard.press('Control+Shift+F');
  await expect(field(page)).toBeFocused();
  await page.keyboard.type('railway herbs');
  const question = hits(page).filter({ hasText: 'beside the' });
  await expect(question.first()).toContainText('Which wild herbs');
  await expect(question.first().locator('mark').first()).toHaveText('herbs');
  await page.keyboard.press('Enter');
  await expect(field(page)).toHaveCount(0);
  await expect(page).toHaveURL(new RegExp(`^${address.replaceAll('/', '\\/')}`));
  await expect(chat.answers).toHaveCount(1);
});

test('what was found last is found again, as it is now', async ({ page, server, chat }) => {
  await expect(chat.composer).toBeVisible();
  await newChat(server.url, 'Herbs of the meadow');
  await page.getByTestId('search-chats').click();
  await page.keyboard.type('herbs');
  await expect(hits(page)).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(field(page)).toHaveCount(0);
  await newChat(server.url, 'More herbs', { archived: true });
  await page.keyboard.press('Control+Shift+F');
  await expect(hits(page)).toHaveCount(2);
  await expect(hits(page).getByRole('img', { name: 'Archived' })).toHaveCount(1);
  // What was written is chosen, so that typing begins anew.
  await page.keyboard.type('zzz');
  await expect(page.getByText('Nothing was found for “zzz”.')).toBeVisible();
});

test('a search that fails says so, and another try goes on', async ({ page, server, chat }) => {
  await expect(chat.composer).toBeVisible();
  await newChat(server.url, 'Herbs of the meadow');
  await page.route('**/pilotlight/chats/search*', (route) => route.abort());
  await page.keyboard.press('Control+Shift+F');
  await expect(field(page)).toBeFocused();
  await page.keyboard.type('herbs');
  await expect(page.getByRole('dialog').getByRole('alert')).toHaveText(
    'The server is not answering.',
  );
  await page.unroute('**/pilotlight/chats/search*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(hits(page)).toHaveCount(1);
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`everybody can read and use it, ${colorScheme}`, async ({ page, server, chat }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await expect(chat.composer).toBeVisible();
    await newChat(server.url, 'Herbs of the meadow', { archived: true });
    await page.keyboard.press('Control+Shift+F');
    await expect(field(page)).toBeFocused();
    const empty = await accessibilityFaults(page);
    await page.keyboard.type('herbs');
    await expect(hits(page)).toHaveCount(1);
    const found = await accessibilityFaults(page);
    expect({ empty, found }).toEqual({ empty: [], found: [] });
  });
}
