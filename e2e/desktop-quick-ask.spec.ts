import { expect, type Page } from '@playwright/test';
import { accessibilityFaults } from './axe.js';
import { type DesktopApp, test } from './desktop-app.js';

/** Opens the small window as its shortcut does, and gives its page. */
async function quickAsk(app: DesktopApp): Promise<Page> {
  const known = app.electron.windows().find((page) => page.url().endsWith('#/quick'));
  const page = known ?? app.electron.waitForEvent('window');
  await app.electron.evaluate(() => globalThis.pilotlightE2e?.quickAsk());
  const shown = await page;
  await expect(shown.getByTestId('quick-input')).toBeVisible();
  await expect.poll(() => isShown(app)).toBe(true);
  return shown;
}

/** Whether the small window can be seen. */
function isShown(app: DesktopApp): Promise<boolean> {
  return app.electron.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows().some(
      (window) => window.webContents.getURL().endsWith('#/quick') && window.isVisible(),
    ),
  );
}

async function ask(page: Page, question: string): Promise<void> {
  await page.getByTestId('quick-input').fill(question);
  await page.getByTestId('quick-input').press('Enter');
}

const setPreference = async (url: string, preferences: Record<string, unknown>) => {
  const response = await fetch(`${url}/pilotlight/settings`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ preferences }),
  });
  expect(response.status).toBe(200);
};

const shortcut = (app: DesktopApp) => app.page.evaluate(() => window.pilotlight?.quickAsk());

test('a question is answered in the small window while the main one is closed, and goes on in it', async ({
  launch,
}) => {
  const app = await launch({ models: ['scripted'] });
  await app.ready();
  await app.chat.pickModel('scripted');
  await app.closeWindow();
  await expect.poll(() => app.isVisible()).toBe(false);

  const quick = await quickAsk(app);
  await expect(quick.getByTestId('quick-input')).toBeFocused();
  const height = () =>
    app.electron.evaluate(
      ({ BrowserWindow }) =>
        BrowserWindow.getAllWindows()
          .find((window) => window.webContents.getURL().endsWith('#/quick'))
          ?.getBounds().height ?? 0,
    );
  await expect.poll(height).toBeLessThan(120);
  await ask(quick, 'Hello?');
  const answers = quick.getByTestId('quick-answer');
  await expect(answers.last()).toHaveAttribute('data-status', 'complete');
  await expect(quick.getByTestId('quick-input')).toHaveValue('');
  // The window has grown with its answer.
  await expect.poll(height).toBeGreaterThan(120);
  for (const colorScheme of ['light', 'dark'] as const) {
    await quick.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await accessibilityFaults(quick)).toEqual([]);
  }
  const text = await answers.last().locator('.markdown').textContent();
  expect(text).not.toBe('');
  await ask(quick, 'And then?');
  await expect(answers).toHaveCount(2);
  await expect(answers.last()).toHaveAttribute('data-status', 'complete');

  await quick.getByRole('button', { name: 'Open in chat' }).click();
  await expect.poll(() => isShown(app)).toBe(false);
  await expect.poll(() => app.isVisible()).toBe(true);
  await expect.poll(() => new URL(app.page.url()).hash).toMatch(/^#\/chat\/[\w-]+$/);
  // The small window begins anew.
  const again = await quickAsk(app);
  await expect(again.getByTestId('quick-answer')).toHaveCount(0);
});

test('it is left with Escape, and comes back as it was; an answer goes on meanwhile', async ({
  launch,
}) => {
  const app = await launch({ models: ['slow'] });
  await app.ready();
  await app.chat.pickModel('slow');
  const quick = await quickAsk(app);
  await ask(quick, 'Go on and on.');
  await expect(quick.getByTestId('quick-answer')).toHaveAttribute('data-status', 'running');
  await quick.keyboard.press('Escape');
  await expect.poll(() => isShown(app)).toBe(false);
  await quickAsk(app);
  await quick.getByTestId('quick-stop').click();
  await expect(quick.getByTestId('quick-answer')).toHaveAttribute('data-status', 'stopped');
  await quick.getByRole('button', { name: 'New question' }).click();
  await expect(quick.getByTestId('quick-answer')).toHaveCount(0);
  await expect(quick.getByTestId('quick-input')).toBeFocused();
});

test('the tray and links open it too, and a link fills its field only', async ({ launch }) => {
  const app = await launch({ models: ['scripted'] });
  await app.ready();
  const opened = app.electron.waitForEvent('window');
  await app.clickTray('quick-ask');
  const quick = await opened;
  await expect(quick.getByTestId('quick-input')).toBeFocused();
  await quick.keyboard.press('Escape');
  await expect.poll(() => isShown(app)).toBe(false);
  await app.electron.evaluate(({ app: electronApp }) => {
    const link = 'pilotlight://quick-ask?q=What%20is%20this%3F';
    electronApp.emit('open-url', { preventDefault: () => undefined }, link);
  });
  await expect(quick.getByTestId('quick-input')).toHaveValue('What is this?');
  await expect.poll(() => isShown(app)).toBe(true);
  await expect(quick.getByTestId('quick-answer')).toHaveCount(0);
});

test('the shortcut is asked of the system when it is set, and one that is taken is told', async ({
  launch,
}) => {
  const app = await launch();
  const url = await app.ready();
  expect(await shortcut(app)).toEqual({ shortcut: null, problem: null });
  const accelerator = 'Control+Alt+Shift+F9';
  const isRegistered = (held: DesktopApp) =>
    held.electron.evaluate(
      ({ globalShortcut }, keys) => globalShortcut.isRegistered(keys),
      accelerator,
    );
  expect(await isRegistered(app)).toBe(false);
  await setPreference(url, { quick_ask_shortcut: accelerator });
  await expect.poll(() => shortcut(app)).toEqual({ shortcut: accelerator, problem: null });
  expect(await isRegistered(app)).toBe(true);

  const other = await launch();
  const otherUrl = await other.ready();
  await setPreference(otherUrl, { quick_ask_shortcut: accelerator });
  await expect.poll(() => shortcut(other)).toEqual({ shortcut: accelerator, problem: 'taken' });
  await setPreference(otherUrl, { quick_ask_shortcut: 'A' });
  await expect.poll(() => shortcut(other)).toEqual({ shortcut: 'A', problem: 'invalid' });

  await setPreference(url, { quick_ask_shortcut: null });
  await expect.poll(() => shortcut(app)).toEqual({ shortcut: null, problem: null });
  expect(await isRegistered(app)).toBe(false);
});

test('the page of the small window is as cut off as the other', async ({ launch }) => {
  const app = await launch();
  await app.ready();
  await app.catchLinks();
  const quick = await quickAsk(app);
  const { origin } = new URL(quick.url());
  await quick.evaluate(() => {
    window.open('https://example.org/window');
    location.href = 'https://example.org/location';
  });
  await expect
    .poll(() => app.openedLinks())
    .toEqual(['https://example.org/window', 'https://example.org/location']);
  expect(quick.url()).toBe(`${origin}/#/quick`);
  expect(await quick.evaluate(() => typeof Reflect.get(globalThis, 'require'))).toBe('undefined');
});
