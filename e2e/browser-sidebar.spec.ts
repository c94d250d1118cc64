import { expect } from '@playwright/test';
import { accessibilityFaults } from './axe.js';
import { browserTest } from './browser.js';
import { ChatPage } from './chat-page.js';
import { allChats, newChat, newFolder } from './chats-api.js';
import { type Served, serve } from './serve.js';
import { Sidebar } from './sidebar.js';

const test = browserTest.extend<{ server: Served; sidebar: Sidebar }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern.
  server: async ({}, use) => {
    const server = await serve(['scripted']);
    await use(server);
    await server.stop();
  },
  sidebar: async ({ page, server }, use) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.goto(server.url);
    await new ChatPage(page).ready();
    await use(new Sidebar(page));
  },
});

test('what is asked comes into the list, and is found there again', async ({ page, sidebar }) => {
  await expect(page.getByText('Your chats are kept here.')).toBeVisible();
  const chat = new ChatPage(page);
  await chat.pickModel('scripted');
  await chat.ask('Where do rainbows end?');
  await chat.expectStatus('complete');
  await expect(sidebar.links).toHaveCount(1);
  await expect(sidebar.links).toHaveAttribute('aria-current', 'page');

  await page.getByTestId('new-chat').click();
  await expect(chat.answers).toHaveCount(0);
  await expect(page.locator('[aria-current="page"]')).toHaveCount(0);
  await sidebar.links.click();
  await expect(chat.answers).toHaveCount(1);
});

test('a chat is named, pinned, put into folders and archived by its menu', async ({
  page,
  server,
  sidebar,
}) => {
  await newChat(server.url, 'Tomatoes');
  await newChat(server.url, 'Letter');
  await expect(sidebar.links).toHaveCount(2);

  await sidebar.choose(sidebar.chat('Tomatoes'), 'Rename F2');
  await expect(sidebar.rename).toBeFocused();
  await sidebar.rename.fill('Tomato soup');
  await page.keyboard.press('Enter');
  await expect(sidebar.chat('Tomato soup')).toBeFocused();
  await sidebar.chat('Tomato soup').click();
  await expect(page).toHaveTitle('Tomato soup – Pilotlight');

  await sidebar.choose(sidebar.chat('Letter'), 'Pin');
  await expect(page.getByRole('heading', { name: 'Pinned' })).toBeVisible();
  await expect(sidebar.links.first()).toHaveText('Letter');

  await sidebar.choose(sidebar.chat('Tomato soup'), 'Move to', 'New folder…');
  await sidebar.rename.fill('Kitchen');
  await page.keyboard.press('Enter');
  await expect(sidebar.folder('Kitchen')).toContainText('1');
  await sidebar.folder('Kitchen').click();
  await expect(sidebar.chat('Tomato soup')).toHaveCount(0);
  await page.reload();
  await expect(sidebar.folder('Kitchen')).toHaveAttribute('aria-expanded', 'false');
  await sidebar.folder('Kitchen').click();
  await expect(sidebar.chat('Tomato soup')).toBeVisible();

  await sidebar.choose(sidebar.folder('Kitchen'), 'Delete the folder, keep its chats');
  await expect(sidebar.folder('Kitchen')).toHaveCount(0);
  await expect(sidebar.chat('Tomato soup')).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(sidebar.folder('Kitchen')).toContainText('1');

  await sidebar.choose(sidebar.chat('Letter'), 'Archive');
  await expect(sidebar.chat('Letter')).toHaveCount(0);
  await page.getByTestId('archive').click();
  await expect(sidebar.chat('Letter')).toBeVisible();
  await expect
    .poll(async () => (await allChats(server.url)).get('Letter'))
    .toMatchObject({ archived: true, pinned: true });
  await sidebar.choose(sidebar.chat('Letter'), 'Take out of the archive');
  await expect(page.getByTestId('archive')).toHaveCount(0);
  await expect(sidebar.links.first()).toHaveText('Letter');
});

test('a deleted chat can be brought back, also the one that is open', async ({
  page,
  server,
  sidebar,
}) => {
  const { id } = await newChat(server.url, 'Tomatoes');
  await newChat(server.url, 'Letter');
  await sidebar.chat('Tomatoes').click();
  await expect(page).toHaveURL(new RegExp(`#/chat/${id}$`));
  await sidebar.chat('Tomatoes').focus();
  await page.keyboard.press('Delete');
  await expect(sidebar.chat('Tomatoes')).toHaveCount(0);
  await expect(page).toHaveURL(/#\/$/);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(sidebar.chat('Tomatoes')).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`#/chat/${id}$`));
});

test('the list is used by keyboard alone', async ({ page, server, sidebar }) => {
  const folder = await newFolder(server.url, 'Kitchen');
  await newChat(server.url, 'Tomatoes', { folder_id: folder.id });
  await newChat(server.url, 'Äpfel', { folder_id: folder.id });
  await newChat(server.url, 'Letter', { pinned: true });
  await newChat(server.url, 'Trip');
  await expect(sidebar.links).toHaveCount(4);

  await page.getByTestId('search-chats').focus();
  await page.keyboard.press('Tab');
  await expect(sidebar.chat('Letter')).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(sidebar.folder('Kitchen')).toBeFocused();
  await page.keyboard.press('ArrowLeft');
  await expect(sidebar.chat('Tomatoes')).toHaveCount(0);
  await page.keyboard.press('ArrowRight');
  await expect(sidebar.chat('Tomatoes')).toBeVisible();
  await page.keyboard.press('End');
  await expect(sidebar.chat('Trip')).toBeFocused();
  await page.keyboard.type('ap');
  await expect(sidebar.chat('Äpfel')).toBeFocused();
  await page.keyboard.press('ArrowLeft');
  await expect(sidebar.folder('Kitchen')).toBeFocused();
  await page.keyboard.press('Home');
  await expect(sidebar.chat('Letter')).toBeFocused();

  await page.keyboard.press('F2');
  await page.keyboard.type('Bill');
  await page.keyboard.press('Escape');
  await expect(sidebar.chat('Letter')).toBeFocused();
  await page.keyboard.press('F2');
  await page.keyboard.type('Bill');
  await page.keyboard.press('Enter');
  await expect(sidebar.chat('Bill')).toBeFocused();
  // The menu takes the focus some frames after the key, and gives it back as late.
  await page.keyboard.press('Shift+F10');
  await expect(page.locator('[role="menu"]:focus-within, [role="menu"]:focus')).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('menuitem').first()).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Pinned' })).toHaveCount(0);
  await expect(sidebar.chat('Bill')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/#\/chat\//);
  // One more press of the Tab key leaves the list.
  await sidebar.chat('Bill').focus();
  await page.keyboard.press('Tab');
  await expect(page.getByTestId('models')).toBeFocused();
});

test('the keys for the next and the previous chat lead through the list', async ({
  page,
  server,
  sidebar,
}) => {
  await newChat(server.url, 'One');
  await newChat(server.url, 'Two');
  await newChat(server.url, 'Three', { pinned: true });
  await expect(sidebar.links).toHaveCount(3);
  await expect(sidebar.links.first()).toHaveText('Three');
  const current = '[aria-current="page"]';
  for (const place of [0, 1, 2, 2]) {
    await page.keyboard.press('Alt+ArrowDown');
    await expect(sidebar.links.nth(place).and(page.locator(current))).toBeVisible();
  }
  await page.keyboard.press('Alt+ArrowUp');
  await expect(sidebar.links.nth(1).and(page.locator(current))).toBeVisible();
});

test('a chat is dragged into a folder, and out of it', async ({ page, server, sidebar }) => {
  await newFolder(server.url, 'Kitchen');
  await newChat(server.url, 'Tomatoes');
  await newChat(server.url, 'Trip');
  await sidebar.chat('Tomatoes').dragTo(sidebar.folder('Kitchen'));
  await expect(sidebar.folder('Kitchen')).toContainText('1');
  await sidebar.chat('Tomatoes').dragTo(page.getByRole('heading', { name: 'Today' }));
  await expect(sidebar.folder('Kitchen')).not.toContainText('1');
});

test('two windows show the same list', async ({ context, page, server, sidebar }) => {
  const second = await context.newPage();
  await second.goto(server.url);
  const other = new Sidebar(second);
  await newChat(server.url, 'Tomatoes');
  await expect(sidebar.chat('Tomatoes')).toBeVisible();
  await page.bringToFront();
  await sidebar.choose(sidebar.chat('Tomatoes'), 'Pin');
  await second.bringToFront();
  await expect(second.getByRole('heading', { name: 'Pinned' })).toBeVisible();
  await expect(other.chat('Tomatoes')).toBeVisible();
});

test('of very many chats those in sight are drawn, and the keyboard reaches all', async ({
  page,
  server,
  sidebar,
}) => {
  const count = 1_000;
  for (let from = 0; from < count; from += 20) {
    const titles = Array.from({ length: 20 }, (_, index) => `Chat ${from + index}`);
    await Promise.all(titles.map((title) => newChat(server.url, title)));
  }
  await newChat(server.url, 'Zebra');
  await expect(sidebar.chat('Zebra')).toBeVisible();
  expect(await page.locator('.chats > li').count()).toBeLessThan(100);
  await sidebar.chat('Zebra').focus();
  await page.keyboard.press('End');
  const last = page.locator('.chats > li:last-child a');
  await expect(last).toBeFocused();
  const size = await page.locator('.chats > li:last-child').getAttribute('aria-setsize');
  expect(Number(size)).toBeGreaterThan(count);
  await expect(page.locator('.chats > li:last-child')).toHaveAttribute('aria-posinset', `${size}`);
  await page.keyboard.type('z');
  await expect(sidebar.chat('Zebra')).toBeFocused();
  await expect(sidebar.chat('Zebra')).toBeInViewport();
});

test('the sidebar is hidden and shown, and that is remembered', async ({ page, sidebar }) => {
  await expect(sidebar.links).toHaveCount(0);
  await page.getByTestId('hide-sidebar').click();
  await expect(page.getByTestId('models')).toHaveCount(0);
  await page.reload();
  await expect(page.getByTestId('show-sidebar')).toBeVisible();
  await expect(page.getByTestId('models')).toHaveCount(0);
  await page.keyboard.press('Control+b');
  await expect(page.getByTestId('models')).toBeVisible();
});

test('where there is little room it lies above the page', async ({ page, server, sidebar }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await newChat(server.url, 'Tomatoes');
  await expect(sidebar.links).toHaveCount(0);
  await page.getByTestId('show-sidebar').click();
  await sidebar.chat('Tomatoes').click();
  // It makes room for what was chosen.
  await expect(sidebar.links).toHaveCount(0);
  await expect(page).toHaveURL(/#\/chat\//);
  await page.getByTestId('show-sidebar').click();
  await expect(sidebar.chat('Tomatoes')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(sidebar.links).toHaveCount(0);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(wide).toBeLessThanOrEqual(320);
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`everybody can read and use it, ${colorScheme}`, async ({ page, server, sidebar }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const folder = await newFolder(server.url, 'Kitchen');
    await newChat(server.url, 'قائمة التسوق', { pinned: true });
    await newChat(server.url, 'Tomatoes', { folder_id: folder.id });
    await newChat(server.url, 'Trip', { archived: true });
    await newChat(server.url, `${'long '.repeat(30)}title`);
    await expect(sidebar.links).toHaveCount(3);
    await page.getByTestId('archive').click();
    await sidebar.chat('Tomatoes').click();
    const faults: Record<string, string[]> = {};
    faults.list = await accessibilityFaults(page);
    await sidebar.chat('Tomatoes').click({ button: 'right' });
    await expect(page.getByRole('menuitem', { name: 'Move to' })).toBeVisible();
    faults.menu = await accessibilityFaults(page);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('menu')).toHaveCount(0);
    await page.evaluate(() => {
      document.documentElement.dir = 'rtl';
    });
    faults.rightToLeft = await accessibilityFaults(page);
    expect(faults).toEqual({ list: [], menu: [], rightToLeft: [] });
  });
}
