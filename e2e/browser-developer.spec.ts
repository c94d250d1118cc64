// The developer page in a browser: the server, its keys, requests, log, snippets and self-test.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, type Page } from '@playwright/test';
import { accessibilityFaults } from './axe.js';
import { browserTest } from './browser.js';
import { REPO } from './folders.js';
import { freePort } from './processes.js';
import { type Served, serve } from './serve.js';

const TABS = ['server', 'requests', 'log', 'snippets', 'self-test'] as const;

const test = browserTest.extend<
  { open: (tab?: (typeof TABS)[number]) => Promise<void> },
  { server: Served }
>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern.
    async ({}, use) => {
      const server = await serve(['toolcall', 'slow']);
      await use(server);
      await server.stop();
    },
    { scope: 'worker' },
  ],
  open: async ({ page, server }, use) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await use(async (tab = 'server') => {
      await page.goto(`${server.url}/#/developer/${tab}`);
      await expect(page.getByTestId(`tab-${tab}`)).toHaveAttribute('aria-selected', 'true');
    });
  },
});

const post = (server: Served, body: object, headers: Record<string, string> = {}) =>
  fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'toolcall',
      messages: [{ role: 'user', content: 'Hi.' }],
      ...body,
    }),
  });

const modelsStatus = async ({ url }: Served, headers: Record<string, string> = {}) =>
  (await fetch(`${url}/v1/models`, { headers })).status;

test('is reached from the sidebar, and Escape leads back', async ({ page, server }) => {
  await page.goto(server.url);
  await page.getByTestId('developer').click();
  await expect(page.getByRole('heading', { level: 1, name: 'Developer' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('composer')).toBeVisible();
});

test('programs are switched off and on again', async ({ page, server, open }) => {
  await open();
  await page.getByTestId('serving').click();
  await expect(page.getByRole('heading', { name: 'Programs are refused' })).toBeVisible();
  expect(await modelsStatus(server)).toBe(503);
  await page.getByTestId('serving').click();
  await expect(page.getByRole('heading', { name: 'Programs are served' })).toBeVisible();
  expect(await modelsStatus(server)).toBe(200);
});

test('the port moves, and the page goes along', async ({ page }) => {
  const [first, second] = [await freePort(), await freePort()];
  const server = await serve(['toolcall'], [], {}, { port: first });
  try {
    await page.goto(`${server.url}/#/developer/server`);
    const port = page.getByLabel('Port', { exact: true });
    await port.fill('70000');
    await port.press('Enter');
    await expect(page.getByRole('alert')).toContainText('from 1 to 65535');
    await port.fill(String(second));
    await port.press('Enter');
    await page.waitForURL(`http://127.0.0.1:${second}/#/developer/server`);
    await expect(page.getByTestId('api-address')).toHaveText(`http://127.0.0.1:${second}/v1`);
  } finally {
    await server.stop();
  }
});

test('a key is made, shown once, stands in the snippets, and is revoked', async ({
  page,
  open,
  server,
}) => {
  await open();
  await page.getByLabel('New key').fill('laptop');
  await page.getByLabel('New key').press('Enter');
  const key = (await page.getByTestId('made-key').textContent()) ?? '';
  expect(key).toMatch(/^pl-/);
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Done' }).click();
  expect(await modelsStatus(server)).toBe(401);
  expect(await modelsStatus(server, { authorization: `Bearer ${key}` })).toBe(200);
  await page.getByTestId('tab-snippets').click();
  await expect(page.locator('.snippet')).toContainText(key);
  await page.getByTestId('tab-server').click();
  await page.getByRole('button', { name: 'Revoke “laptop”' }).click();
  await page.getByRole('button', { name: 'Revoke', exact: true }).click();
  await expect(page.getByTestId('key-laptop')).toHaveCount(0);
  expect(await modelsStatus(server)).toBe(200);
});

test('the network is opened after a warning, with a key, and closed again', async ({ page }) => {
  const server = await serve(['toolcall'], [], {}, { port: await freePort() });
  try {
    await page.goto(`${server.url}/#/developer/server`);
    const network = page.getByRole('switch', { name: 'Reachable from other machines' });
    await network.click();
    const dialog = page.getByRole('alertdialog');
    await expect(dialog).toContainText('plain http');
    expect(await accessibilityFaults(page)).toEqual([]);
    await dialog.getByTestId('open-network').click();
    await expect(page.getByTestId('made-key')).toHaveText(/^pl-/);
    await page.getByRole('button', { name: 'Done' }).click();
    await expect(page.getByRole('note')).toContainText('not encrypted');
    expect(await modelsStatus(server)).toBe(401);
    await network.click();
    await expect(page.getByRole('note')).toHaveCount(0);
  } finally {
    await server.stop();
  }
});

/** The key that `pilotlight inspector key` prints. */
async function ownKey({ data }: Served): Promise<string> {
  const cli = path.join(REPO, 'out', 'cli', 'pilotlight.js');
  const run = promisify(execFile)(process.execPath, [cli, 'inspector', 'key', '--data', data]);
  return (await run).stdout.trim();
}

async function openInspector(page: Page, server: Served): Promise<void> {
  await page.getByLabel('Your own key').fill(await ownKey(server));
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await expect(page.getByRole('switch', { name: 'Keep what is asked and answered' })).toBeVisible();
}

test('requests are seen and ended without the inspector', async ({ page, open, server }) => {
  await open('requests');
  const answer = await post(server, { model: 'slow', stream: true });
  await page.getByTestId('live').getByRole('button', { name: 'Cancel this request' }).click();
  expect(await answer.text()).toContain('request_cancelled');
  await expect(page.getByTestId('live')).toHaveCount(0);
});

test('the inspector opens with its key, keeps requests, and runs one again beside it', async ({
  page,
  open,
  server,
}) => {
  await open('requests');
  const command = `pilotlight inspector key --data "${server.data}"`;
  await expect(page.getByText(command, { exact: true })).toBeVisible();
  await page.getByLabel('Your own key').fill('wrong');
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await expect(page.getByRole('alert')).toContainText('does not open');
  await openInspector(page, server);
  const keep = page.getByRole('switch', { name: 'Keep what is asked and answered' });
  await keep.click();
  await expect(keep).toBeChecked();
  expect((await post(server, {})).status).toBe(200);
  await page.getByTestId('kept').getByRole('button').first().click();
  const detail = page.getByTestId('request-detail');
  await expect(detail).toContainText('/v1/chat/completions');
  await detail.getByRole('tab', { name: 'Request' }).click();
  await expect(detail).toContainText('"messages"');
  await detail.getByRole('tab', { name: 'Code' }).click();
  await expect(detail).toContainText('curl');
  expect(await accessibilityFaults(page)).toEqual([]);
  await detail.getByRole('button', { name: 'Run again and compare' }).click();
  await expect(detail).toHaveCount(2);
  await expect(page.getByTestId('kept')).toHaveCount(2);
  await keep.click();
  await expect(page.getByTestId('kept')).toHaveCount(0);
});

test('the log is filtered and paused', async ({ page, open, server }) => {
  await open('log');
  const lines = page.getByRole('log').getByRole('listitem');
  await page.getByRole('searchbox').fill('/v1/only-here');
  await expect(lines).toHaveCount(0);
  await fetch(`${server.url}/v1/only-here`);
  await expect(lines).toHaveCount(1);
  await page.getByRole('button', { name: 'Pause' }).click();
  await fetch(`${server.url}/v1/only-here`);
  await page.getByRole('button', { name: /^Go on \(/ }).click();
  await expect(lines).toHaveCount(2);
});

test('the self-test says item by item what holds', async ({ page, open }) => {
  await open('self-test');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(page.locator('.self-test-sum')).toContainText('All that could be tried holds.');
  await expect(page.getByTestId('test-chat_stream')).toHaveAttribute('data-status', 'passed');
  await expect(page.getByTestId('test-key_guard')).toHaveAttribute('data-status', 'skipped');
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`everybody can read and use it, ${colorScheme}`, async ({ page, open }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const faults: Record<string, string[]> = {};
    for (const tab of TABS) {
      await open(tab);
      await expect(page.locator('.page-column').locator('h2, [role="log"]').first()).toBeAttached();
      faults[tab] = await accessibilityFaults(page);
    }
    expect(faults).toEqual(Object.fromEntries(TABS.map((tab) => [tab, []])));
  });
}

for (const width of [320, 700, 1600]) {
  test(`nothing is cut off at a width of ${width}`, async ({ page, open }) => {
    await page.setViewportSize({ width, height: 800 });
    for (const tab of TABS) {
      await open(tab);
      const panel = page.getByRole('tabpanel');
      await expect(panel).toBeVisible();
      const beyond = await panel.evaluate((element) => element.scrollWidth - element.clientWidth);
      expect(beyond, tab).toBe(0);
    }
  });
}
