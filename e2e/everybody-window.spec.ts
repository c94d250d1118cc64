// The window without a pointer, without a sight of it, in another language, enlarged, and in the system's own colours.
import { expect, type Locator, type Page } from '@playwright/test';
import { browserTest } from './browser.js';
import { ChatPage } from './chat-page.js';
import { newChat } from './chats-api.js';
import { addUpstream, BUSY, ECHO, STALLED, startEchoServer } from './echo-server.js';
import { keyboardFaults, layoutFaults } from './screen-checks.js';
import { type Served, serve } from './serve.js';

const test = browserTest.extend<{ chat: ChatPage }, { server: Served }>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern.
    async ({}, use) => {
      const echo = await startEchoServer();
      const server = await serve([]);
      await addUpstream(server.url, echo.url);
      await use(server);
      await server.stop();
      await echo.stop();
    },
    { scope: 'worker' },
  ],
  chat: async ({ page, server }, use) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.goto(server.url);
    const chat = new ChatPage(page);
    await chat.ready();
    await use(chat);
  },
});

const spoken = (page: Page) => page.getByRole('log', { name: 'How the answer comes' });

test('the first stop of the Tab key leads past the sidebar', async ({ chat, page }) => {
  await expect(chat.composer).toBeFocused();
  const skip = page.getByTestId('skip');
  await skip.focus();
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Tab');
  await expect(skip).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(chat.composer).toBeFocused();
  await page.goto(`${page.url().split('#')[0]}#/models/installed`);
  const heading = page.getByRole('heading', { level: 1 });
  await expect(heading).toBeFocused();
  await skip.focus();
  await page.keyboard.press('Enter');
  await expect(heading).toBeFocused();
});

test('each key does what the list of keys says, and what it opens gives the focus back', async ({
  chat,
  page,
  server,
}) => {
  const open = (name: string | RegExp) => page.getByRole('dialog', { name });
  /** Opens something from the composer, and closes it again. */
  const opens = async (keys: string, shown: Locator) => {
    await expect(chat.composer).toBeFocused();
    await page.keyboard.press(keys);
    await expect(shown).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(shown).toHaveCount(0);
    await expect(chat.composer).toBeFocused();
  };
  await newChat(server.url, 'First');
  await chat.pickModel(ECHO);
  await chat.ask('Some words');
  await chat.expectStatus('complete');

  await opens('Control+k', page.getByTestId('palette-field'));
  await opens('Control+Shift+F', page.getByTestId('search-field'));
  await opens('Control+/', open('Keyboard shortcuts'));
  await opens('Control+Shift+S', page.getByTestId('chat-settings'));
  await opens(
    'Control+Shift+L',
    page.getByTestId(`model-option-${ECHO}`).or(page.getByRole('menu')).first(),
  );
  await opens('Control+f', page.getByTestId('find'));

  await page.keyboard.press('Control+e');
  const edit = page.getByRole('textbox', { name: 'Edit and ask again' });
  await expect(edit).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(edit).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Edit and ask again' })).toBeFocused();
  await page.keyboard.press('Control+i');
  await expect(chat.composer).toBeFocused();

  await page.keyboard.press('Control+Shift+Enter');
  await expect(page.getByTestId('branches')).toHaveText('2 / 2');
  await chat.expectStatus('complete');

  await page.keyboard.press('Control+b');
  await expect(page.getByTestId('models')).toHaveCount(0);
  await page.keyboard.press('Control+b');
  await expect(page.getByTestId('models')).toBeVisible();

  for (const [keys, name] of [
    ['Control+Shift+M', 'Models'],
    ['Control+Shift+D', 'Developer'],
    ['Control+,', 'Settings'],
  ] as const) {
    await page.keyboard.press(keys);
    await expect(page.getByRole('heading', { level: 1, name })).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(chat.composer).toBeFocused();
  }

  const here = page.url();
  await page.keyboard.press('Alt+ArrowDown');
  await expect(page).not.toHaveURL(here);
  await page.keyboard.press('Alt+ArrowUp');
  await expect(page).toHaveURL(here);
  // As fast as keys can follow each other: nothing is drawn between the two.
  await page.evaluate(() => {
    for (const key of ['ArrowDown', 'ArrowUp']) {
      const press = { key, code: key, altKey: true, bubbles: true, cancelable: true };
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', press));
    }
  });
  await expect(page).toHaveURL(here);
  await page.keyboard.press('Control+Shift+O');
  await expect(page).toHaveURL(/#\/$/);
  await expect(chat.composer).toBeFocused();
});

test('an answer is spoken in sentences, politely, and so is what it waits for', async ({
  chat,
  page,
}) => {
  await chat.pickModel(ECHO);
  const log = spoken(page);
  await expect(log).toHaveAttribute('aria-live', 'polite');
  // What is taken away again before it is looked for has been spoken all the same.
  await log.evaluate((element) => {
    const marked = window as unknown as { lines: string[] };
    marked.lines = [];
    new MutationObserver((records) => {
      for (const { addedNodes } of records) {
        for (const node of addedNodes) marked.lines.push(node.textContent ?? '');
      }
    }).observe(element, { childList: true, subtree: true, characterData: true });
  });
  const said = () => page.evaluate(() => (window as unknown as { lines: string[] }).lines);
  await chat.ask('One is first. **Two** is second! `Three` comes at the end.');
  await chat.expectStatus('complete');
  const last = 'Three comes at the end.';
  await expect.poll(async () => (await said()).join(' ')).toContain(last);
  const lines = await said();
  expect(lines[0]).toBe('Answering…');
  expect(lines.slice(1).join(' ')).toBe(`One is first. Two is second! ${last}`);
  for (const line of lines) expect(line).toMatch(/[.!…]$/);

  await chat.pickModel(STALLED);
  await chat.ask('All of this. Then half of');
  await expect(log).toContainText('All of this.');
  await expect(page.getByRole('feed')).toHaveAttribute('aria-busy', 'true');
  await expect(log).not.toContainText('half');
  await page.keyboard.press('Escape');
  await chat.expectStatus('stopped');
  await expect(log).toContainText('Stopped.');
  await expect(page.getByRole('feed')).toHaveAttribute('aria-busy', 'false');

  await chat.pickModel(BUSY);
  await chat.ask('Now?');
  await chat.expectStatus('failed');
  await expect(page.getByRole('alert').filter({ hasText: 'Come again.' })).toBeVisible();
});

test('buttons without words are called in the language of the window', async ({
  chat,
  page,
  server,
}) => {
  await chat.pickModel(ECHO);
  await chat.ask('Words');
  await chat.expectStatus('complete');
  const language = (tag: string) =>
    fetch(`${server.url}/pilotlight/settings`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ preferences: { language: tag } }),
    });
  const { hash } = new URL(page.url());
  try {
    await language('ja');
    await expect(page.locator('html')).toHaveAttribute('lang', 'ja');
    for (const place of [hash, '#/models/installed', '#/developer/server', '#/settings/general']) {
      await page.goto(`${server.url}/${place}`);
      await expect(page.locator('main:visible').getByRole('button').first()).toBeVisible();
      const names = await page.evaluate(() =>
        [...document.querySelectorAll('button[aria-label], nav[aria-label], [role="tablist"]')]
          .filter((element) => element.checkVisibility())
          .map((element) => element.getAttribute('aria-label') ?? ''),
      );
      expect(names.length).toBeGreaterThan(2);
      expect(
        names.filter((name) => !/[\u3040-\u30ff\u4e00-\u9fff]/.test(name)),
        place,
      ).toEqual([]);
    }
  } finally {
    await language('system');
  }
});

test('where there is little room a long text can still be written and sent', async ({
  chat,
  page,
}) => {
  for (const size of [
    { width: 640, height: 400 },
    { width: 320, height: 400 },
  ]) {
    await page.setViewportSize(size);
    await chat.composer.fill('A line of what is written.\n'.repeat(40));
    await expect(page.getByTestId('send')).toBeInViewport({ ratio: 1 });
    await expect(page.getByTestId('model-picker')).toBeInViewport({ ratio: 1 });
    expect(await layoutFaults(page)).toEqual([]);
  }
});

test('in the colours of the system all that has the focus shows it', async ({
  chat,
  page,
  server,
}) => {
  await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
  await expect(chat.composer).toBeVisible();
  for (const place of ['#/', '#/models/discover', '#/settings/appearance', '#/developer/server']) {
    await page.goto(`${server.url}/${place}`);
    await expect(page.locator('main:visible').getByRole('heading').first()).toBeVisible();
    expect(await keyboardFaults(page), place).toEqual([]);
    const current = page.locator('.sidebar-link[aria-current], .tab[data-active]').first();
    if (place === '#/') continue;
    const [own, page_] = await current.evaluate((element) => [
      getComputedStyle(element).backgroundColor,
      getComputedStyle(document.body).backgroundColor,
    ]);
    expect(own).not.toBe(page_);
  }
});
