// Files in the window: chosen, pasted and dropped, shown, kept, refused, sent, and what is said where they do not fit.
import { expect, type Locator, type Page } from '@playwright/test';
import { SEEN } from '../scripts/test-models/scripts.js';
import { docx, PICTURE, paragraph, pdf } from '../server/attachments/test-files.js';
import { accessibilityFaults } from './axe.js';
import { browserTest } from './browser.js';
import { ChatPage } from './chat-page.js';
import { type Served, serve } from './serve.js';

const test = browserTest.extend<{ chat: ChatPage; server: Served }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern.
  server: async ({}, use) => {
    const server = await serve(['scripted', 'sees', 'mmproj-sees']);
    await fetch(`${server.url}/pilotlight/models/scripted/settings`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ context_length: 1024 }),
    });
    await use(server);
    await server.stop();
  },
  chat: async ({ page, server }, use) => {
    const chat = new ChatPage(page);
    await page.goto(server.url);
    await chat.ready();
    await chat.pickModel('scripted');
    await use(chat);
  },
});

const file = (name: string, content: string | Uint8Array) => ({
  ...{ name, mimeType: 'application/octet-stream' },
  buffer: Buffer.from(content),
});
const chips = (page: Page): Locator => page.locator('.draft-files').getByTestId('attachment');

async function choose(page: Page, ...files: ReturnType<typeof file>[]): Promise<void> {
  await page.getByTestId('attach-files').setInputFiles(files);
}

test('files are chosen, looked at, taken away, kept over a reload, and sent', async ({ chat }) => {
  const { page } = chat;
  await choose(
    page,
    file('plan für 日本.md', '# Plan\n\nBuy a ticket.'),
    file('letter.docx', await docx(paragraph('Dear Ada,'))),
    file('report.pdf', await pdf(['First page.', 'Second page.'])),
  );
  await expect(chips(page)).toHaveCount(3);
  await expect(chips(page).nth(2)).toContainText('2 pages');
  await page.getByTitle('Show report.pdf').click();
  const preview = page.getByTestId('attachment-preview');
  await expect(preview).toContainText('Second page.');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await accessibilityFaults(page)).toEqual([]);
  }
  await page.keyboard.press('Escape');
  await expect(preview).toHaveCount(0);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await accessibilityFaults(page)).toEqual([]);
  }
  await page.getByRole('button', { name: 'Remove letter.docx' }).click();
  await expect(chips(page)).toHaveCount(2);
  await expect(page).toHaveURL(/#\/chat\//);
  await page.reload();
  await expect(chips(page)).toHaveCount(2);

  await choose(page, file('plan für 日本.md', '# Plan\n\nBuy a ticket.'));
  await expect(chat.notices).toContainText('plan für 日本.md is already attached.');
  await chat.notices.getByRole('button', { name: 'Dismiss' }).click();

  await chat.ask('What is the plan?');
  await expect(chips(page)).toHaveCount(0);
  const sent = page.getByTestId('message-user').getByTestId('attachment');
  await expect(sent.first()).toContainText('plan für 日本.md');
  await chat.expectStatus('complete');
  await sent.first().getByRole('button').click();
  await expect(preview).toContainText('Buy a ticket.');
});

test('a file alone is a question', async ({ chat }) => {
  const { page } = chat;
  await expect(page.getByTestId('send')).toBeDisabled();
  await choose(page, file('notes.txt', 'Words.'));
  await expect(chips(page)).toHaveCount(1);
  await page.getByTestId('send').click();
  await expect(page.getByTestId('message-user').getByTestId('attachment')).toHaveCount(1);
  await chat.expectStatus('complete');
});

test('what cannot be read is refused in words, and keeps nothing else back', async ({ chat }) => {
  const { page } = chat;
  await choose(
    page,
    file('program.exe', new Uint8Array(2_000)),
    file('locked.pdf', await pdf(['Secret.'], { userPassword: 'x' })),
    file('notes.txt', 'Words.'),
  );
  const failed = page.getByTestId('attachment-incoming');
  await expect(failed).toHaveCount(2);
  await expect(failed.first()).toContainText('cannot be read');
  await expect(failed.last()).toContainText('password');
  await expect(chips(page)).toHaveCount(1);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await accessibilityFaults(page)).toEqual([]);
  }
  await page.getByRole('button', { name: 'Remove program.exe' }).click();
  await expect(failed).toHaveCount(1);
  await expect(page.getByTestId('send')).toBeEnabled();
});

test('files can be pasted, and a long text as one', async ({ chat }) => {
  const { page } = chat;
  await chat.composer.focus();
  await chat.composer.evaluate((field) => {
    const data = new DataTransfer();
    data.items.add(new File(['Pasted.'], 'clip.txt', { type: 'text/plain' }));
    field.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
    );
  });
  await expect(chips(page)).toContainText(['clip.txt']);
  const long = 'A long text. '.repeat(700);
  await chat.composer.fill(`Before ${long}`);
  await chat.composer.evaluate((field, text) => {
    const data = new DataTransfer();
    data.setData('text/plain', text);
    field.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
    );
  }, long);
  await page.getByRole('button', { name: 'Attach it as a file' }).click();
  await expect(chips(page)).toContainText(['clip.txt', 'Pasted text.txt']);
  await expect(chat.composer).toHaveValue('Before ');
});

test('files can be dropped anywhere on the window', async ({ chat }) => {
  const { page } = chat;
  const dataTransfer = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    data.items.add(new File(['Dropped.'], 'dropped.txt', { type: 'text/plain' }));
    return data;
  });
  await page.locator('body').dispatchEvent('dragenter', { dataTransfer });
  await expect(page.getByTestId('drop-zone')).toBeVisible();
  await page.locator('body').dispatchEvent('dragleave', { dataTransfer });
  await expect(page.getByTestId('drop-zone')).toHaveCount(0);
  await page.locator('body').dispatchEvent('dragenter', { dataTransfer });
  await page.locator('body').dispatchEvent('drop', { dataTransfer });
  await expect(page.getByTestId('drop-zone')).toHaveCount(0);
  await expect(chips(page)).toContainText(['dropped.txt']);
});

test('a picture is seen by a model that can, and of others it is said at once that they cannot', async ({
  chat,
}) => {
  const { page } = chat;
  await choose(page, file('red.png', PICTURE));
  await expect(chips(page)).toContainText(['cannot see pictures']);
  await chat.pickModel('sees');
  await expect(chips(page)).toContainText(['40 × 30']);
  await chat.ask('Which colour is it?');
  await chat.expectStatus('complete');
  await expect(chat.answer).toContainText(SEEN.red);
  await expect(page.getByTestId('message-user').locator('img')).toHaveCount(1);
});

test('what does not fit is not sent, and the first pages are offered', async ({ chat }) => {
  const { page } = chat;
  const pages = Array.from({ length: 16 }, (_, i) => `Page ${i + 1} has words. `.repeat(30));
  await choose(page, file('book.pdf', await pdf(pages)));
  const card = page.getByTestId('too-long');
  await expect(card).toBeVisible();
  await expect(page.getByTestId('send')).toBeDisabled();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await accessibilityFaults(page)).toEqual([]);
  }
  await card.getByRole('button', { name: /of book\.pdf/ }).click();
  await expect(card).toHaveCount(0);
  await expect(chips(page)).toContainText([/\d+ of 16 pages/]);
  await page.getByTestId('send').click();
  await chat.expectStatus('complete');
});
