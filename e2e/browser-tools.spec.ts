import { expect, type Page } from '@playwright/test';
import { AFTER_TOOL_SENTENCE } from '../scripts/test-models/scripts.js';
import { testProgram } from '../server/mcp/test-program.js';
import { accessibilityFaults } from './axe.js';
import { browserTest } from './browser.js';
import { ChatPage } from './chat-page.js';
import { serve } from './serve.js';
import { ToolsPage } from './tools-page.js';

const test = browserTest.extend<{ url: string; tools: ToolsPage }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern.
  url: async ({}, use) => {
    const server = await serve(['toolcall'], ['--model', 'toolcall']);
    await use(server.url);
    await server.stop();
  },
  tools: async ({ page, url }, use) => {
    await page.goto(`${url}/#/settings/tools`);
    await use(new ToolsPage(page));
  },
});

/** In both themes; without the motion between them, which has colours of its own. */
async function expectNoFaults(page: Page): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await accessibilityFaults(page)).toEqual([]);
  }
}

const config = (name: string, how?: string) => JSON.stringify({ [name]: testProgram(how) });

test('what is pasted from another app is read, and runs once it is switched on', async ({
  tools,
  page,
}) => {
  await expect(page.getByText('No tools yet')).toBeVisible();
  await tools.openDialog();
  await tools.pasted.fill('{"mcpServers": {');
  await expect(tools.dialog).toContainText('This is no JSON');
  const { args = [], command } = testProgram();
  const servers = {
    weather: { command, args, env: { TOKEN: 'secret' } },
    broken: { command: 5 },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as VS Code has it
    asks: { command: 'a', env: { KEY: '${input:key}' } },
  };
  await tools.pasted.fill(JSON.stringify({ mcpServers: servers }));
  await expect(tools.dialog).toContainText('command must be a text');
  await expect(tools.dialog).toContainText('input:key');
  await expectNoFaults(page);
  await tools.dialog.getByRole('button', { name: 'Add 1 server' }).click();
  await expect(tools.dialog).toHaveCount(0);
  const card = tools.server('weather');
  await expect(card).toContainText('Off');
  await card.getByRole('switch').click();
  await expect(card).toContainText('Running');
  await card.getByRole('button', { name: '9 tools' }).click();
  await expect(card.getByTestId('tool-get_weather')).toContainText('The weather of a city.');
  await card.getByLabel('Calls of Weather').selectOption('Never');
  // Not before the server has it.
  await expect(card.getByLabel('Calls of Weather')).toHaveValue('never');
  await page.reload();
  await card.getByRole('button', { name: '9 tools' }).click();
  await expect(card.getByLabel('Calls of Weather')).toHaveValue('never');
  await card.getByRole('button', { name: 'Log' }).click();
  await expect(card).toContainText('Ready.');
  await expectNoFaults(page);
});

test('one is typed, changed with its secret kept, and removed', async ({ tools, page }) => {
  await tools.openDialog();
  await tools.dialog.getByRole('tab', { name: 'Program' }).click();
  const { args = [], command } = testProgram();
  const form = tools.dialog;
  const field = (name: RegExp) => form.getByRole('textbox', { name });
  await field(/^Name/).fill('mine');
  await field(/^Program/).fill('no-such-program');
  await field(/^Arguments/).fill(args.join('\n'));
  await field(/^Environment variables/).fill('TOKEN=secret');
  await form.getByRole('button', { name: 'Save' }).click();
  const card = tools.server('mine');
  await card.getByRole('switch').click();
  await expect(card).toContainText('“no-such-program” was not found');
  await card.getByRole('button', { name: 'Change' }).click();
  await expect(field(/^Environment variables/)).toHaveValue('TOKEN=•••');
  await field(/^Program/).fill(command);
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(card).toContainText('Running');
  await card.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await expect(card).toHaveCount(0);
});

test.describe('in a chat', () => {
  test.beforeEach(async ({ tools, page, url }) => {
    await tools.paste(config('weather'));
    await tools.server('weather').getByRole('switch').click();
    await expect(tools.server('weather')).toContainText('Running');
    await page.goto(`${url}/#/`);
  });

  test('a call shows its arguments, waits, and is answered', async ({ page }) => {
    const chat = new ChatPage(page);
    await chat.ask('What is the weather in Rome?');
    const call = page.getByTestId('tool-call');
    await expect(call).toHaveAttribute('data-state', 'waiting');
    await expect(call).toContainText('"city": "Rome"');
    await expectNoFaults(page);
    await call.getByRole('button', { name: 'Allow once' }).click();
    await expect(call).toHaveAttribute('data-state', 'done');
    await expect(page.getByTestId('message-assistant')).toContainText(AFTER_TOOL_SENTENCE);
    await call.getByRole('button', { name: 'Result' }).click();
    await expect(call).toContainText('22 °C and sunny in Rome.');
    // It is the same after a reload.
    await page.reload();
    await expect(call).toHaveAttribute('data-state', 'done');
  });

  test('a call is refused with the keyboard, and waits while no window is open', async ({
    page,
    url,
  }) => {
    const chat = new ChatPage(page);
    await chat.ask('What is the weather in Rome?');
    const call = page.getByTestId('tool-call');
    await expect(call).toHaveAttribute('data-state', 'waiting');
    const place = page.url();
    await page.goto('about:blank');
    await page.goto(place.startsWith(url) ? place : url);
    await expect(call).toHaveAttribute('data-state', 'waiting');
    await call.getByRole('button', { name: 'Refuse' }).focus();
    await page.keyboard.press('Enter');
    await expect(call).toHaveAttribute('data-state', 'refused');
    await expect(call).toContainText('You refused it.');
    await expect(page.getByTestId('message-assistant')).toContainText(AFTER_TOOL_SENTENCE);
  });

  test('the chat says how many tools it has, and may have none', async ({ page }) => {
    const chat = new ChatPage(page);
    await chat.ask('What is the weather in Rome?');
    const call = page.getByTestId('tool-call');
    await call.getByRole('button', { name: 'For this chat' }).click();
    await expect(page.getByTestId('message-assistant')).toContainText(AFTER_TOOL_SENTENCE);
    await expect(page.getByTestId('chat-tools')).toContainText('9');
    await chat.expectStatus('complete');
    await page.getByTestId('chat-tools').click();
    await expect(page.getByRole('menu')).toBeVisible();
    await expectNoFaults(page);
    await page.getByRole('menuitemcheckbox', { name: 'weather' }).click();
    await expect(page.getByTestId('chat-tools')).toContainText('0');
    await page.keyboard.press('Escape');
  });
});
