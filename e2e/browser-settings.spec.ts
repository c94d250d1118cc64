// The settings page in a browser: its search, what each control does at once, and what is there still afterwards.
import { expect, type Page } from '@playwright/test';
import { serverState } from './api.js';
import { accessibilityFaults } from './axe.js';
import { browserTest } from './browser.js';
import { ChatPage } from './chat-page.js';
import { type Served, serve } from './serve.js';

const test = browserTest.extend<{ settings: Page; server: Served }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern.
  server: async ({}, use) => {
    const server = await serve(['scripted']);
    await use(server);
    await server.stop();
  },
  settings: async ({ page, server }, use) => {
    await page.goto(`${server.url}/#/settings`);
    await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
    await use(page);
  },
});

const SECTIONS = [
  ...['general', 'appearance', 'models', 'folders', 'hub'],
  ...['tools', 'upstreams', 'rpc', 'server', 'data', 'about'],
];

async function open(page: Page, section: string): Promise<void> {
  const part = page.getByTestId(`settings-${section}`);
  await part.click();
  await expect(part).toHaveAttribute('aria-current', 'page');
}

test('the search finds a setting by another word, and the keyboard leads to it', async ({
  settings: page,
}) => {
  const search = page.getByTestId('search-settings');
  await search.fill('font');
  await expect(page.getByTestId('found-settings').getByRole('option')).toHaveCount(1);
  await expect(page.getByTestId('found-settings').getByRole('option')).toContainText('Text size');
  await search.press('Enter');
  await expect(page).toHaveURL(/#\/settings\/appearance\/text_size$/);
  await expect(page.getByRole('radio', { name: '100%' })).toBeFocused();

  await search.fill('folder');
  await expect(page.getByTestId('found-settings').getByRole('option').first()).toHaveAttribute(
    'aria-selected',
    'true',
  );
  await search.press('ArrowDown');
  await expect(page.getByTestId('found-settings').getByRole('option').nth(1)).toHaveAttribute(
    'aria-selected',
    'true',
  );
  await search.press('Escape');
  await expect(search).toHaveValue('');
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();

  await search.fill('qwertz');
  await expect(page.getByText('No setting for “qwertz”')).toBeVisible();
  // What only the desktop has is not found in a browser.
  await search.fill('autostart');
  await expect(page.getByText('No setting for “autostart”')).toBeVisible();
});

test('looks change at once, stay after a reload, and another browser has them', async ({
  settings: page,
  server,
  browser,
}) => {
  await open(page, 'appearance');
  await page.getByRole('radio', { name: 'Dark' }).check();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.getByRole('radio', { name: 'Violet' }).check();
  await expect(page.locator('html')).toHaveAttribute('data-accent', 'violet');
  await page.getByRole('radio', { name: '130%' }).check();
  await expect(page.locator('html')).toHaveCSS('font-size', '20.8px');
  const wanted = { theme: 'dark', accent: 'violet', text_size: 1.3 };
  await expect.poll(async () => (await serverState(server.url)).preferences).toMatchObject(wanted);

  const context = await browser.newContext();
  const second = await context.newPage();
  await second.goto(server.url);
  await expect(second.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(second.locator('html')).toHaveCSS('font-size', '20.8px');
  await page.getByRole('radio', { name: 'Light' }).check();
  await expect(second.locator('html')).toHaveAttribute('data-theme', 'light');
  await context.close();

  // The copy of this browser is there before any script of the page has asked the server.
  await page.route('**/pilotlight/events', () => {});
  await page.reload({ waitUntil: 'commit' });
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
  await expect(page.locator('html')).toHaveAttribute('data-accent', 'violet');
});

test('what is reset comes back', async ({ settings: page }) => {
  await open(page, 'appearance');
  const dark = page.getByRole('radio', { name: 'Dark' });
  const reset = page.getByRole('button', { name: /^Reset “Appearance”/ });
  await expect(reset).toHaveCount(0);
  await dark.check();
  await reset.click();
  await expect(page.getByRole('radio', { name: 'System' })).toBeChecked();
  await page.getByTestId('notice').getByRole('button', { name: 'Undo' }).click();
  await expect(dark).toBeChecked();
});

test('the language changes at once, and leaves the draft and the focus', async ({
  settings: page,
}) => {
  const language = page.getByLabel('Language', { exact: true });
  await language.selectOption('de');
  await expect(page.getByRole('heading', { level: 1, name: 'Einstellungen' })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  await page.reload();
  const german = page.getByLabel('Sprache', { exact: true });
  await german.focus();
  for (const [tag, name] of [
    ['es', 'Ajustes'],
    ['fr', 'Réglages'],
    ['ja', '設定'],
    ['zh', '设置'],
    ['en', 'Settings'],
  ] as const) {
    await page.locator('select:focus').selectOption(tag);
    await expect(page.getByRole('heading', { level: 1, name, exact: true })).toBeVisible();
  }
  await expect(language).toBeFocused();
});

test('messages are sent by the keys that are chosen', async ({ settings: page }) => {
  await page.getByLabel('Send messages with').selectOption('mod_enter');
  await page.getByTestId('new-chat').click();
  await new ChatPage(page).pickModel('scripted');
  const composer = page.getByTestId('composer');
  await composer.fill('one');
  await expect(page.getByText('Ctrl+Enter to send')).toBeVisible();
  await composer.press('Enter');
  await composer.pressSequentially('two');
  await expect(composer).toHaveValue('one\ntwo');
  await composer.press('Control+Enter');
  await expect(composer).toHaveValue('');
  const question = page.getByTestId('message-user');
  await expect(question).toContainText('one\ntwo');
  await expect(page.getByTestId('message-assistant')).toHaveAttribute('data-status', 'complete');

  await page.keyboard.press('Control+e');
  const editor = page.getByRole('textbox', { name: 'Edit and ask again' });
  await editor.press('Enter');
  await editor.pressSequentially('three');
  await editor.press('Control+Enter');
  await expect(question).toContainText('one\ntwo\nthree');
});

test('what is refused is told, and shows as it was', async ({ settings: page }) => {
  await open(page, 'appearance');
  await page.route('**/pilotlight/settings', (route) =>
    route.fulfill({
      status: 500,
      json: { error: { message: 'No room left.', type: 'x', param: null, code: null } },
    }),
  );
  await page.getByRole('radio', { name: 'Dark' }).click();
  await expect(page.getByTestId('notice')).toContainText('No room left.');
  await expect(page.getByRole('radio', { name: 'System' })).toBeChecked();
  await expect(page.locator('html')).not.toHaveAttribute('data-theme', 'dark');
});

test('settings of the models page are found where they are now', async ({ page, server }) => {
  await page.goto(`${server.url}/#/models/settings`);
  await expect(page.getByLabel('Memory for models')).toBeVisible();
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`everybody can read and use each part, ${colorScheme}`, async ({ settings: page }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const faults: Record<string, string[]> = {};
    for (const section of SECTIONS) {
      await open(page, section);
      await expect(page.getByRole('status').filter({ hasText: 'Reading' })).toHaveCount(0);
      faults[section] = await accessibilityFaults(page);
    }
    await page.getByTestId('search-settings').fill('model');
    await expect(page.getByTestId('found-settings').getByRole('option').first()).toBeVisible();
    faults.search = await accessibilityFaults(page);
    expect(faults).toEqual(
      Object.fromEntries([...SECTIONS, 'search'].map((section) => [section, []])),
    );
  });
}

for (const { width, size, direction } of [
  { width: 320, size: 1, direction: 'ltr' },
  { width: 640, size: 1.6, direction: 'ltr' },
  { width: 1280, size: 1.6, direction: 'rtl' },
]) {
  test(`nothing is cut off at ${width} px, ${size}, ${direction}`, async ({
    settings: page,
    server,
  }) => {
    await page.setViewportSize({ width, height: 800 });
    await fetch(`${server.url}/pilotlight/settings`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ preferences: { text_size: size, language: 'de' } }),
    });
    await expect(page.getByRole('heading', { level: 1, name: 'Einstellungen' })).toBeVisible();
    await page.evaluate((dir) => {
      document.documentElement.dir = dir;
    }, direction);
    for (const section of SECTIONS) {
      await open(page, section);
      const beyond = await page.evaluate(() => {
        const all = [document.documentElement, ...document.querySelectorAll('.settings-scroll')];
        return Math.max(...all.map((element) => element.scrollWidth - element.clientWidth));
      });
      expect(beyond, section).toBeLessThanOrEqual(0);
    }
  });
}
