// How one chat asks its model, presets of system prompts, and two models side by side, in a browser.
import { expect, type Page } from '@playwright/test';
import { accessibilityFaults } from './axe.js';
import { browserTest } from './browser.js';
import { type Served, serve } from './serve.js';

const test = browserTest.extend<{ chat: Page; server: Served }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern.
  server: async ({}, use) => {
    const server = await serve(['scripted', 'random']);
    await use(server);
    await server.stop();
  },
  chat: async ({ page, server }, use) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.goto(server.url);
    await expect(page.getByTestId('composer')).toBeVisible();
    await use(page);
  },
});

interface Kept {
  settings: { system_prompt: string | null; seed: number | null; response_schema: string | null };
}

async function kept({ url }: Served, page: Page): Promise<Kept> {
  const id = /#\/chat\/([^/]+)/.exec(page.url())?.[1] ?? '';
  return (await (await fetch(`${url}/pilotlight/chats/${id}`)).json()) as Kept;
}

test('each change holds at once, is there after a reload, and can be used for new chats', async ({
  chat: page,
  server,
}) => {
  await page.getByTestId('open-chat-settings').click();
  const panel = page.getByTestId('chat-settings');
  await panel.getByTestId('preset').selectOption({ label: 'Translator' });
  await expect(panel.getByTestId('system-prompt')).toHaveValue(/You are a translator/);
  await panel.getByLabel('Seed').fill('7');
  await panel.getByLabel('Temperature').fill('5');
  await expect(panel.getByRole('alert')).toHaveText('A number from 0 to 2.');
  await panel.getByLabel('Temperature').fill('0');
  await panel.getByRole('button', { name: 'Insert an example' }).click();
  await expect(panel.getByLabel('Answer as JSON')).toHaveValue(/"type"/);
  await panel.getByLabel('Answer as JSON').fill('{\n  oops');
  await expect(panel.getByRole('alert')).toContainText('line 2');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await accessibilityFaults(page)).toEqual([]);
  }
  await expect
    .poll(async () => (await kept(server, page)).settings)
    .toMatchObject({ seed: 7, sampling: { temperature: 0 }, system_prompt: /translator/ });

  await page.reload();
  await page.getByTestId('open-chat-settings').click();
  await expect(panel.getByTestId('preset')).toHaveValue('built-in:translator');
  await panel.getByRole('button', { name: 'Reset', exact: true }).click();
  await expect(panel.getByLabel('Seed')).toHaveValue('');
  await panel.getByLabel('Seed').fill('11');
  await expect.poll(async () => (await kept(server, page)).settings.seed).toBe(11);
  await panel.getByRole('button', { name: 'Use for new chats' }).click();
  await expect(page.getByText('New chats begin with these settings.')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(panel).toHaveCount(0);
  await page.goto(`${server.url}/#/`);
  await page.getByTestId('composer').fill('Hello');
  await page.getByTestId('send').click();
  await expect(page.getByTestId('context-bar')).toHaveAttribute(
    'aria-valuetext',
    /tokens of context/,
  );
  expect((await kept(server, page)).settings.seed).toBe(11);
});

test('a preset is saved, changed, renamed and deleted, with a way back', async ({ chat: page }) => {
  await page.getByTestId('open-chat-settings').click();
  const panel = page.getByTestId('chat-settings');
  const menu = async (item: string) => {
    await panel.getByTestId('preset-menu').click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await panel.getByTestId('system-prompt').fill('Talk like a pirate.');
  await menu('Save as a preset…');
  await panel.getByLabel('Name of the preset').fill('Pirate 🏴‍☠️');
  await page.keyboard.press('Enter');
  const preset = panel.getByTestId('preset');
  await expect(preset.locator('option:checked')).toHaveText('Pirate 🏴‍☠️');
  await panel.getByTestId('system-prompt').fill('Talk like an old pirate.');
  await menu('Update the preset');
  await menu('Rename the preset…');
  await panel.getByLabel('Name of the preset').fill('Old pirate');
  await page.keyboard.press('Enter');
  await expect(preset.locator('option:checked')).toHaveText('Old pirate');
  await menu('Delete the preset');
  await expect(preset.locator('option', { hasText: 'Old pirate' })).toHaveCount(0);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByTestId('open-chat-settings').click();
  await preset.selectOption({ label: 'Old pirate' });
  await expect(panel.getByTestId('system-prompt')).toHaveValue('Talk like an old pirate.');
});

test('two models answer side by side, and the chat goes on with one', async ({
  chat: page,
  server,
}) => {
  await page.getByTestId('start-compare').click();
  await page.getByTestId('compare-0').selectOption('scripted');
  await page.getByTestId('compare-1').selectOption('random');
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByTestId('composer').fill('Who are you?');
  await page.getByTestId('send').click();
  const goOn = page.getByRole('button', { name: /^Go on with/ });
  await expect(goOn.first()).toBeVisible();
  const id = /#\/chat\/([^/]+)/.exec(page.url())?.[1] ?? '';
  const answers = async () => {
    const chat = (await (await fetch(`${server.url}/pilotlight/chats/${id}`)).json()) as {
      messages: { role: string; model?: string; status?: string }[];
    };
    return chat.messages.filter(({ role }) => role === 'assistant');
  };
  await expect
    .poll(async () => (await answers()).map(({ model }) => model))
    .toEqual(['scripted', 'random']);
  await expect
    .poll(async () => (await answers()).some(({ status }) => status === 'running'))
    .toBe(false);
  await page.getByTestId('compare-end').click();
  await expect(page.getByTestId('start-compare')).toBeVisible();
});
