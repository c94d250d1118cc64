import { expect, type Page } from '@playwright/test';
import { browserTest } from './browser.js';
import { chatOf } from './chat-api.js';
import { ChatPage } from './chat-page.js';
import { addUpstream, ECHO, startEchoServer } from './echo-server.js';
import { serve } from './serve.js';

/** Paragraphs enough for many screens, with code, tables and formulas between them. */
const LONG = Array.from({ length: 60 }, (_, i) =>
  [
    `Paragraph ${i} has **strong** words, and so many of them that it takes more than one line of the column.`,
    `| Row | Value |\n| --- | --- |\n| ${i} | ${i * i} |`,
    `\`\`\`js\nconst step${i} = ${i};\n\`\`\``,
    `Here $x_{${i}}^2$ stands.`,
  ].join('\n\n'),
).join('\n\n');

const test = browserTest.extend<{ chat: ChatPage }, { address: string }>({
  address: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern.
    async ({}, use) => {
      const echo = await startEchoServer();
      const server = await serve([]);
      await addUpstream(server.url, echo.url);
      const id = await chatOf(
        server.url,
        [LONG, LONG.replace('Paragraph 7 ', 'The needle ')],
        [ECHO],
      );
      await use(`${server.url}/#/chat/${id}`);
      await server.stop();
      await echo.stop();
    },
    { scope: 'worker' },
  ],
  chat: async ({ page, address }, use) => {
    await page.goto(address);
    const chat = new ChatPage(page);
    await expect(chat.answer).toContainText('Paragraph 59');
    await use(chat);
  },
});

/** Blocks in sight that are not drawn. */
const undrawnInSight = (page: Page) =>
  page.evaluate(() => {
    const view = document.querySelector('.scroller')?.getBoundingClientRect();
    return [...document.querySelectorAll('[data-undrawn]')].filter((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return view && bottom > view.top && top < view.bottom;
    }).length;
  });

test('of a long answer only what is near is drawn, and the rest can be read as text', async ({
  chat,
  page,
}) => {
  await expect.poll(() => undrawnInSight(page)).toBe(0);
  await expect(chat.answer.getByText('Paragraph 59')).toBeInViewport();
  await expect(chat.answer.locator('table').last()).toBeVisible();
  const undrawn = chat.answer.locator('[data-undrawn]');
  expect(await undrawn.count()).toBeGreaterThan(100);
  expect(await chat.answerText()).toContain('const step0 = 0;');

  // From the beginning of the answer to where it is left.
  const first = chat.answer.getByText('Paragraph 0 ');
  await expect(async () => {
    await first.scrollIntoViewIfNeeded();
    await expect(first).toBeInViewport({ timeout: 1_000 });
  }).toPass();
  await expect.poll(() => undrawnInSight(page)).toBe(0);
  await expect(first.locator('strong')).toHaveText('strong');
});

test('words are found where nothing is drawn yet, and what holds them is drawn then', async ({
  chat,
  page,
}) => {
  await page.keyboard.press('Control+f');
  await page.getByTestId('find').getByRole('textbox').fill('the needle');
  const needle = chat.answer.getByText('The needle');
  await expect(needle.locator('strong')).toHaveText('strong');
  await expect(needle).toBeInViewport();
  await expect.poll(() => undrawnInSight(page)).toBe(0);
});

test('what is read keeps its place while more above it is drawn', async ({ chat, page }) => {
  const scroller = page.getByRole('region', { name: 'Conversation' });
  const undrawn = page.locator('[data-undrawn]');
  const toEnd = () =>
    scroller.evaluate((e) => Math.round(e.scrollHeight - e.clientHeight - e.scrollTop));
  await expect(chat.answer).toBeInViewport();
  const before = await undrawn.count();
  await scroller.hover();
  await page.mouse.wheel(0, -600);
  await expect
    .poll(async () => [await toEnd(), (await undrawn.count()) < before])
    .toEqual([600, true]);
});
