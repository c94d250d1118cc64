// Many tabs of one browser, which has six connections to a server for all of them.
import { expect, type Page } from '@playwright/test';
import { browserTest as test } from './browser.js';
import { ChatPage } from './chat-page.js';
import { serve } from './serve.js';

/** A browser without a screen takes all its tabs for visible, so the page is told otherwise. */
async function setHidden(page: Page, hidden: boolean): Promise<void> {
  await page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, hidden);
}

test('a tab works at once beside any number of others', async ({ context }) => {
  const server = await serve(['scripted']);
  try {
    const tabs: Page[] = [];
    for (let opened = 0; opened < 5; opened += 1) {
      for (const earlier of tabs.slice(-1)) await setHidden(earlier, true);
      const page = await context.newPage();
      tabs.push(page);
      await page.goto(server.url);
      await new ChatPage(page).ready();
    }
    const [first, last] = [tabs[0], tabs.at(-1)];
    if (!first || !last) throw new Error('There are no tabs.');
    const chat = new ChatPage(last);
    await chat.ask('Hello');
    await chat.expectStatus('complete');

    await setHidden(last, true);
    await setHidden(first, false);
    await new ChatPage(first).ready();
    await expect(first.getByTestId('chat-link')).toHaveCount(1);
  } finally {
    await server.stop();
  }
});
