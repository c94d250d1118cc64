// Chats out and in through the window: files saved, files chosen, what is told before, and the way back.
import { readFile } from 'node:fs/promises';
import { expect, type Page } from '@playwright/test';
import { accessibilityFaults } from './axe.js';
import { browserTest } from './browser.js';
import { type Served, serve } from './serve.js';

const test = browserTest.extend<{ data: Page; server: Served }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern.
  server: async ({}, use) => {
    const server = await serve(['scripted']);
    await use(server);
    await server.stop();
  },
  data: async ({ page, server }, use) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.goto(`${server.url}/#/settings/data`);
    await expect(page.getByTestId('export-json')).toBeVisible();
    await use(page);
  },
});

const message = (role: string, text: string) => ({
  author: { role },
  create_time: 1_700_000_000,
  content: { content_type: 'text', parts: [text] },
});
const CHATGPT = [
  {
    title: 'A trip to Rome 🛵',
    conversation_id: 'conv-1',
    create_time: 1_700_000_000,
    current_node: 'b',
    mapping: {
      a: { parent: null, message: message('user', 'Where shall I go?') },
      b: { parent: 'a', message: message('assistant', 'To Rome.') },
    },
  },
  { title: 'Broken', mapping: { a: 5 } },
];
const file = (name: string, content: string | Buffer) => ({
  ...{ name, mimeType: 'application/octet-stream' },
  buffer: Buffer.from(content),
});

async function importChatGpt(page: Page): Promise<void> {
  await page
    .getByTestId('import-file')
    .setInputFiles(file('conversations.json', JSON.stringify(CHATGPT)));
  await page.getByTestId('run-import').click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
}

test('chats of another program are told before they come in, and can be taken back', async ({
  data: page,
}) => {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Import chats Choose a file…' }).click();
  await (await chooser).setFiles(file('conversations.json', JSON.stringify(CHATGPT)));
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('heading')).toHaveText('Import 1 chat?');
  await expect(dialog).toContainText(/From ChatGPT, [^,]+, \d{4}, \d+ messages/);
  await expect(dialog).toContainText('A trip to Rome 🛵');
  await expect(dialog).toContainText('1 chat cannot be read');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await accessibilityFaults(page)).toEqual([]);
  }
  await page.getByTestId('run-import').click();
  const chat = page
    .getByRole('navigation')
    .or(page.locator('aside'))
    .getByText('A trip to Rome 🛵')
    .first();
  await expect(chat).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(chat).toHaveCount(0);
});

test('a file that holds no chats is refused in words, and another one can be chosen', async ({
  data: page,
}) => {
  await page.getByTestId('import-file').setInputFiles(file('words.txt', 'hello'));
  await expect(page.getByRole('alert')).toContainText('holds no chats');
  await page
    .getByTestId('import-another')
    .setInputFiles(file('conversations.json', JSON.stringify(CHATGPT)));
  await expect(page.getByTestId('run-import')).toBeEnabled();
});

test('what came in goes out, and comes back from a backup', async ({ data: page }) => {
  await importChatGpt(page);
  const [exported] = await Promise.all([
    page.waitForEvent('download'),
    page.getByTestId('export-json').click(),
  ]);
  expect(exported.suggestedFilename()).toMatch(/^pilotlight-chats-.*\.json$/);
  const text = await readFile(await exported.path(), 'utf8');
  expect(text).toContain('Where shall I go?');

  const [backup] = await Promise.all([
    page.waitForEvent('download'),
    page.getByTestId('save-backup').click(),
  ]);
  const archive = await readFile(await backup.path());
  await page.getByTestId('import-file').setInputFiles(file('chats.json', text));
  await expect(page.getByRole('dialog')).toContainText('has come in before');
  await expect(page.getByTestId('run-import')).toBeDisabled();
  await page.getByRole('checkbox', { name: 'Import these again, as copies' }).check();
  await page.getByTestId('run-import').click();
  const titles = page.getByText('A trip to Rome 🛵', { exact: true });
  await expect(titles).toHaveCount(2);

  await page.getByTestId('restore-file').setInputFiles(file('backup.zip', archive));
  await expect(page.getByRole('dialog')).toContainText('Its 1 chat takes the place of the 2 chats');
  await page.getByTestId('run-restore').click();
  await expect(titles).toHaveCount(1);
  await page
    .getByTestId('restore-file')
    .setInputFiles(file('backup.zip', archive.subarray(0, 500)));
  await expect(page.getByRole('alert')).toContainText('damaged');
});
