import { expect, type Page } from '@playwright/test';
import {
  SCRIPTED_SENTENCE,
  THINKING_ANSWER,
  THINKING_TEXT,
} from '../scripts/test-models/scripts.js';
import { accessibilityFaults } from './axe.js';
import { browserTest } from './browser.js';
import { answered, chatOf, lastText } from './chat-api.js';
import { ChatPage } from './chat-page.js';
import { addUpstream, BUSY, ECHO, post, startEchoServer } from './echo-server.js';
import { type Served, serve } from './serve.js';

const test = browserTest.extend<{ chat: ChatPage }, { server: Served }>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern.
    async ({}, use) => {
      const echo = await startEchoServer();
      const server = await serve(['scripted', 'slow', 'thinking']);
      await addUpstream(server.url, echo.url);
      await use(server);
      await server.stop();
      await echo.stop();
    },
    { scope: 'worker' },
  ],
  chat: async ({ page, server }, use) => {
    await page.goto(server.url);
    const chat = new ChatPage(page);
    await chat.ready();
    await use(chat);
  },
});

const questions = (page: Page) => page.getByTestId('message-user');
const branches = (page: Page) => page.getByTestId('branches');

test('an answer is drawn as Markdown, and nothing in it can run or fetch', async ({
  chat,
  page,
  server,
}) => {
  const foreign: string[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== server.url) foreign.push(request.url());
  });
  const refused: string[] = [];
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) refused.push(message.text());
  });
  await chat.pickModel(ECHO);
  await chat.ask(
    [
      '# Head\n\nIt costs $5 or $10, and $a^2 + b^2$ is \\(c^2\\).',
      '| A | B |\n| - | - |\n| 1 | 2 |',
      '```js\nconst x = 1;\n```',
      '\\[ \\frac{1}{2} \\]',
      '[run](javascript:alert(1)) [fine](https://example.org/) ![p](https://example.org/p.png)',
      '<img src=x onerror=alert(1)>',
    ].join('\n\n'),
  );
  await chat.expectStatus('complete');
  const answer = chat.answer;
  await expect(answer.locator('table td')).toHaveText(['1', '2']);
  await expect(answer.locator('.hljs-keyword')).toHaveText('const');
  await expect(answer.locator('.katex')).toHaveCount(3);
  await expect(answer.locator('.katex-display')).toHaveCount(1);
  await expect(answer.getByText('It costs $5 or $10')).toBeVisible();
  await expect(answer.locator('.dead-link')).toHaveText('run');
  await expect(answer.getByRole('link', { name: 'fine' })).toHaveAttribute(
    'href',
    'https://example.org/',
  );
  await expect(answer.locator('img')).toHaveCount(0);
  // Formulas are drawn too where what draws them comes after the text.
  await page.reload();
  await expect(answer.locator('.katex')).toHaveCount(3);
  await expect(answer.locator('.katex-html [style]').first()).toBeAttached();
  expect(refused).toEqual([]);
  expect(foreign).toEqual([]);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await accessibilityFaults(page)).toEqual([]);
  }
});

test('thoughts are folded when they have ended, with the time that they took', async ({
  chat,
  page,
}) => {
  await chat.pickModel('thinking');
  await chat.ask('How many apples?');
  await chat.expectStatus('complete');
  await expect(chat.answer.getByText(THINKING_ANSWER)).toBeVisible();
  const toggle = page.getByRole('button', { name: /^Thought for/ });
  await expect(toggle).toHaveAttribute('aria-expanded', 'false');
  await toggle.click();
  await expect(chat.answer.getByText(THINKING_TEXT)).toBeVisible();
});

test('a question that is edited begins a branch, and both are found again', async ({
  chat,
  page,
}) => {
  await chat.pickModel(ECHO);
  await chat.ask('first words');
  await chat.expectStatus('complete');
  await chat.ask('and more');
  await chat.expectStatus('complete');
  await expect(chat.answers).toHaveCount(2);

  await questions(page).first().hover();
  await page.getByRole('button', { name: 'Edit and ask again' }).first().click();
  await page.getByRole('textbox', { name: 'Edit and ask again' }).fill('other words');
  await page.keyboard.press('Enter');
  await expect(chat.answers).toHaveCount(1);
  await expect(chat.answer.locator('.markdown')).toHaveText('other words');
  await expect(branches(page).first()).toHaveText('2 / 2');

  await page.getByRole('button', { name: 'Previous version' }).first().click();
  await expect(branches(page).first()).toHaveText('1 / 2');
  await expect(chat.answers).toHaveCount(2);
  await page.reload();
  await expect(chat.answers).toHaveCount(2);
  await expect(branches(page).first()).toHaveText('1 / 2');
  await page.getByRole('button', { name: 'Next version' }).first().click();
  await expect(chat.answer.locator('.markdown')).toHaveText('other words');
});

test('an answer is edited in place, and deleted and brought back', async ({ chat, page }) => {
  await chat.pickModel('scripted');
  await chat.ask('Hello?');
  await chat.expectStatus('complete');
  await page.getByRole('button', { name: 'Edit answer' }).click();
  const field = page.getByRole('textbox', { name: 'Edit answer' });
  await expect(field).toHaveValue(SCRIPTED_SENTENCE);
  await field.fill('My **own** words.');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(chat.answer.locator('strong')).toHaveText('own');
  await expect(chat.answer.getByText('Edited')).toBeVisible();

  await page.getByTestId('message-menu').last().click();
  await page.getByTestId('delete-message').click();
  await expect(chat.answers).toHaveCount(0);
  await chat.notices.getByRole('button', { name: 'Undo' }).click();
  await expect(chat.answer.locator('strong')).toHaveText('own');
});

test('a stopped answer goes on where it ended', async ({ chat, page, server }) => {
  await chat.pickModel('slow');
  await chat.ask('Go on and on.');
  await chat.expectGrowth(2);
  await page.keyboard.press('Escape');
  await chat.expectStatus('stopped');
  // As it is kept: what is drawn of Markdown at its end may be something else a word later.
  const id = new URL(page.url()).hash.split('/').at(-1) ?? '';
  const before = await lastText(server.url, id);
  await page.getByTestId('continue').click();
  await expect
    .poll(async () => (await lastText(server.url, id)).length)
    .toBeGreaterThan(before.length);
  expect((await lastText(server.url, id)).startsWith(before)).toBe(true);
  await expect(chat.answers).toHaveCount(1);
  await chat.stopButton.click();
  await chat.expectStatus('stopped');
  await page.keyboard.press('Control+Shift+G');
  await chat.expectStatus('running');
  await chat.stopButton.click();
  await chat.expectStatus('stopped');
});

test('what is written is kept, and seen in another window', async ({ chat, page, context }) => {
  await chat.composer.fill('Half a thou');
  await expect(page).toHaveURL(/#\/chat\//);
  await chat.composer.pressSequentially('ght');
  const other = await context.newPage();
  await other.goto(page.url());
  await expect(other.getByTestId('composer')).toHaveValue('Half a thought');
  await page.reload();
  await expect(chat.composer).toHaveValue('Half a thought');
  await chat.composer.fill('');
  await expect(other.getByTestId('composer')).toHaveValue('');
});

test('words are found in a long chat, of which only what is seen is drawn', async ({
  chat,
  page,
  server,
}) => {
  const asked = Array.from({ length: 60 }, (_, i) =>
    i === 3 ? 'A **needle** here' : `Hay ${i}\n\nand more of it\n\nto fill the page`,
  );
  const id = await chatOf(server.url, asked, [ECHO]);
  await page.goto(`${server.url}/#/chat/${id}`);
  await expect(chat.answer).toContainText('Hay 59');
  await expect(chat.answer).toBeInViewport();
  expect(await page.getByRole('article').count()).toBeLessThan(40);

  await page.keyboard.press('Control+f');
  const find = page.getByTestId('find');
  await find.getByRole('textbox').fill('needle');
  await expect(find).toContainText('2 of 2');
  const needle = chat.answers.getByText('needle');
  await expect(needle).toBeInViewport();
  await page.keyboard.press('Enter');
  await expect(find).toContainText('1 of 2');
  await expect(questions(page).getByText('needle')).toBeInViewport();
  await find.getByRole('textbox').fill('no such words');
  await expect(find).toContainText('Nothing found');
  await page.keyboard.press('Escape');
  await expect(find).toHaveCount(0);
  await expect(chat.composer).toBeFocused();

  await page.getByRole('button', { name: 'Jump to latest' }).click();
  await expect(chat.answer).toContainText('Hay 59');
  await expect(chat.answer).toBeInViewport();
});

test('the reader who scrolls away is left in peace while an answer grows', async ({
  chat,
  page,
  server,
}) => {
  const asked = Array.from({ length: 12 }, (_, i) => `Line ${i}\n\nwith some\n\nmore below`);
  const id = await chatOf(server.url, asked, [ECHO]);
  await page.goto(`${server.url}/#/chat/${id}`);
  await chat.pickModel('slow');
  await chat.ask('Go on and on.');
  await chat.expectGrowth(2);
  const scroller = page.getByRole('region', { name: 'Conversation' });
  await scroller.hover();
  await page.mouse.wheel(0, -1500);
  const jump = page.getByRole('button', { name: 'Jump to latest' });
  await expect(jump).toBeVisible();
  const mark = questions(page).getByText('Line 8');
  await mark.scrollIntoViewIfNeeded();
  const place = async () => (await mark.boundingBox())?.y;
  // What scrolls by itself has come to rest.
  let before = await place();
  await expect
    .poll(async () => {
      const last = before;
      before = await place();
      return last === before;
    })
    .toBe(true);
  const tokens = async () => {
    const response = await fetch(`${server.url}/pilotlight/chats/${id}`);
    return (await response.text()).length;
  };
  const length = await tokens();
  await expect.poll(tokens).toBeGreaterThan(length + 50);
  expect(await place()).toBe(before);
  await jump.click();
  await chat.expectGrowth(2);
  await chat.stopButton.click();
  await chat.expectStatus('stopped');
});

test('answers of two models stand beside each other until one is gone on with', async ({
  chat,
  page,
  server,
}) => {
  const { id } = (await post(`${server.url}/pilotlight/chats`, {})) as { id: string };
  const models = ['scripted', ECHO];
  await post(`${server.url}/pilotlight/chats/${id}/messages`, {
    parent_id: null,
    text: 'Both of you?',
    models,
  });
  await answered(server.url, id);
  await page.goto(`${server.url}/#/chat/${id}`);
  const compare = page.getByTestId('compare');
  await expect(compare).toHaveAttribute('data-count', '2');
  const [left, right] = [chat.answers.first(), chat.answers.last()];
  const [a, b] = [await left.boundingBox(), await right.boundingBox()];
  expect(a?.y).toBe(b?.y);
  expect(await accessibilityFaults(page)).toEqual([]);

  const scripted = page.getByRole('region', { name: 'scripted' });
  const echo = page.getByRole('region', { name: ECHO });
  const goOn = { name: 'Go on with this one' };
  const chosen = { name: 'The chat goes on here' };
  // One of them it goes on from in any case.
  await expect(page.getByRole('button', chosen)).toHaveCount(1);
  if ((await scripted.getByRole('button', chosen).count()) === 0) {
    await scripted.getByRole('button', goOn).click();
  }
  await expect(scripted.getByRole('button', chosen)).toHaveAttribute('aria-pressed', 'true');
  await expect(echo.getByRole('button', goOn)).toHaveAttribute('aria-pressed', 'false');
  await chat.pickModel(ECHO);
  await chat.ask('And now?');
  await expect(compare).toHaveCount(0);
  await expect(chat.answers).toHaveCount(2);
  await expect(chat.answers.first().locator('.markdown')).toHaveText(SCRIPTED_SENTENCE);
  await expect(branches(page)).toHaveText('1 / 2');
});

test('one of two answers beside each other is asked for again from its own model', async ({
  chat,
  page,
  server,
}) => {
  await chat.pickModel(ECHO);
  const id = await chatOf(server.url, ['Both of you?'], ['scripted', ECHO]);
  await page.goto(`${server.url}/#/chat/${id}`);
  const scripted = page.getByRole('region', { name: 'scripted' });
  await scripted.getByTestId('answer-again').click();
  await expect(chat.answers).toHaveCount(1);
  await chat.expectStatus('complete');
  await expect(chat.answer.locator('.markdown')).toHaveText(SCRIPTED_SENTENCE);
  await expect(branches(page)).toHaveText('3 / 3');
});

test('each of two answers beside each other is stopped by itself', async ({
  chat,
  page,
  server,
}) => {
  const { id } = (await post(`${server.url}/pilotlight/chats`, {})) as { id: string };
  await post(`${server.url}/pilotlight/chats/${id}/messages`, {
    parent_id: null,
    text: 'Go on and on.',
    models: ['slow', 'slow'],
  });
  await page.goto(`${server.url}/#/chat/${id}`);
  const [left, right] = [chat.answers.first(), chat.answers.last()];
  const stops = page.getByTestId('stop-one');
  await expect(stops).toHaveCount(2);
  await stops.first().click();
  await expect(left).toHaveAttribute('data-status', 'stopped');
  await expect(right).toHaveAttribute('data-status', 'running');
  await expect(chat.composer).toBeFocused();
  await stops.click();
  await expect(right).toHaveAttribute('data-status', 'stopped');
  await expect(chat.stopButton).toHaveCount(0);
});

test('a message and the whole chat are copied as Markdown', async ({ chat, page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await chat.pickModel(ECHO);
  await chat.ask('Some **bold** words');
  await chat.expectStatus('complete');
  await page.getByRole('button', { name: 'Copy as Markdown' }).click();
  await expect.poll(clipboard).toBe('Some **bold** words');
  const whole = /## Question\n\nSome \*\*bold\*\* words\n\n## echo\n\nSome \*\*bold\*\* words\n$/;
  await page.getByTestId('message-menu').last().click();
  await page.getByRole('menuitem', { name: 'Copy the whole chat' }).click();
  await expect.poll(clipboard).toMatch(whole);
  await expect(page.getByRole('menu')).toHaveCount(0);
  await page.keyboard.press('Control+Shift+C');
  await expect.poll(clipboard).toBe('Some **bold** words');
  await page.keyboard.press('Control+Shift+X');
  await expect.poll(clipboard).toMatch(whole);
});

test('a refusal is told in words, and can be tried again when its time has come', async ({
  chat,
  page,
}) => {
  await chat.pickModel(BUSY);
  await chat.ask('Now?');
  await chat.expectStatus('failed');
  const card = page.getByTestId('error-card');
  await expect(card.getByRole('heading')).not.toBeEmpty();
  await expect(card).toContainText('Come again.');
  const retry = page.getByTestId('retry');
  await expect(retry).toBeEnabled();
  await expect(retry).toHaveText('Try again');
  await retry.click();
  await chat.expectStatus('complete');
  await expect(chat.answer.locator('.markdown')).toHaveText('Now?');
});

test('the conversation that an earlier version kept in the browser becomes a chat', async ({
  page,
  server,
}) => {
  const answer = {
    ...{ id: 'a', model: 'scripted', text: 'An **old** answer.', reasoning: '', reasoningMs: null },
    ...{ status: 'complete', failure: null, measure: {} },
  };
  const turns = [{ id: 't', question: 'An old question?', answer }];
  const stored = JSON.stringify({ version: 1, turns });
  await page.goto(server.url);
  await page.evaluate((text) => localStorage.setItem('pilotlight.conversation', text), stored);
  await page.reload();
  await page.getByTestId('chat-link').filter({ hasText: 'An old question?' }).click();
  await expect(page.getByTestId('message-assistant').locator('strong')).toHaveText('old');
  const left = () => page.evaluate(() => localStorage.getItem('pilotlight.conversation'));
  await expect.poll(left).toBeNull();
});

test('a chat that is not there is told in words', async ({ page, server }) => {
  await page.goto(`${server.url}/#/chat/chat_nowhere`);
  await expect(page.getByRole('heading', { name: 'This chat is not here' })).toBeVisible();
  await page.getByRole('main').getByRole('button', { name: 'New chat' }).click();
  await expect(page.getByTestId('composer')).toBeFocused();
});
