import { expect } from '@playwright/test';
import { SCRIPTED_SENTENCE } from '../scripts/test-models/scripts.js';
import { browserTest } from './browser.js';
import { type Served, serve } from './serve.js';

const test = browserTest.extend<object, { server: Served }>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern.
    async ({}, use) => {
      const server = await serve(['scripted']);
      await use(server);
      await server.stop();
    },
    { scope: 'worker' },
  ],
});

test('the API is described at /docs, and can be tried there', async ({ page, server }) => {
  const faults: string[] = [];
  const asked = new Set<string>();
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('request', (request) => asked.add(new URL(request.url()).origin));

  await page.goto(`${server.url}/docs`);
  const chat = page.locator('#operations-OpenAI-createChatCompletion');
  await chat.locator('.opblock-summary-control').click();
  await chat.getByRole('button', { name: 'Try it out' }).click();
  const body = { model: 'scripted', messages: [{ role: 'user', content: 'Hello?' }] };
  await chat.locator('textarea').fill(JSON.stringify(body));
  await chat.getByRole('button', { name: 'Execute' }).click();
  await expect(
    chat.locator('.live-responses-table td.response-col_description').last(),
  ).toContainText(SCRIPTED_SENTENCE.trim());

  expect(faults).toEqual([]);
  expect([...asked].filter((origin) => origin !== server.url)).toEqual([]);
});

for (const scheme of ['light', 'dark'] as const) {
  test(`the description is readable on a narrow ${scheme} screen`, async ({ page, server }) => {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto(`${server.url}/docs`);
    await expect(page.locator('.opblock').first()).toBeVisible();
    const { wide, background } = await page.evaluate(() => ({
      wide: document.documentElement.scrollWidth > innerWidth,
      background: getComputedStyle(document.documentElement).backgroundColor,
    }));
    expect([wide, background]).toEqual([
      false,
      scheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(28, 32, 34)',
    ]);
  });
}
