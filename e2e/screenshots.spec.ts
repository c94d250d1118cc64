import fs from 'node:fs/promises';
import path from 'node:path';
import { expect, type Page } from '@playwright/test';
import { type DesktopApp, test } from './desktop-app.js';
import { REPO } from './folders.js';

const SCREENS = path.join(REPO, 'docs', 'screens');
/** The page in its own pixels; the picture is twice as fine, for sharp screens. */
const PAGE = { x: 0, y: 0, width: 1000, height: 720, scale: 2 };

for (const theme of ['light', 'dark'] as const) {
  test(`the window of the README, ${theme}`, async ({ launch }) => {
    const app = await launch({ args: [] });
    await app.electron.evaluate(
      ({ BrowserWindow, nativeTheme }, { source, width, height }) => {
        nativeTheme.themeSource = source;
        BrowserWindow.getAllWindows()[0]?.setContentSize(width, height);
      },
      { source: theme, width: PAGE.width, height: PAGE.height },
    );
    await app.ready();
    // nothing is caught while it fades
    await app.page.emulateMedia({ reducedMotion: 'reduce' });
    await app.chat.pickModel('guide');
    await expect(app.chat.picker).toContainText('Ready');
    // the list fades out
    await expect(app.page.locator('.menu')).toHaveCount(0);
    await save(app, `welcome-${theme}`);

    await app.chat.ask('What can you do?');
    await app.chat.expectStatus('complete');
    await app.chat.ask('How do I add a model?');
    await app.chat.expectStatus('complete');
    await expect(app.page.getByTestId('tokens-per-second').last()).toBeVisible();
    await save(app, `chat-${theme}`);

    await app.page.getByTestId('models').click();
    await expect(app.page.getByTestId('model-guide')).toContainText('Ready');
    await save(app, `models-${theme}`);

    const opened = app.electron.waitForEvent('window');
    await app.electron.evaluate(() => globalThis.pilotlightE2e?.quickAsk());
    const quick = await opened;
    await quick.emulateMedia({ reducedMotion: 'reduce' });
    const input = quick.getByTestId('quick-input');
    await input.fill('How do I add a model?');
    await input.press('Enter');
    await expect(quick.getByTestId('quick-answer')).toHaveAttribute('data-status', 'complete');
    const height = () => quick.evaluate(() => innerHeight);
    const content = () => quick.evaluate(() => document.documentElement.scrollHeight);
    // The window grows with its answer.
    await expect.poll(async () => (await height()) === (await content())).toBe(true);
    const width = await quick.evaluate(() => innerWidth);
    await savePage(quick, `quick-ask-${theme}`, { ...PAGE, width, height: await height() });
  });
}

async function save({ page }: DesktopApp, name: string): Promise<void> {
  // The pointer rests where it shows no tool tip.
  await page.mouse.move(2, 400);
  await savePage(page, name, PAGE);
}

async function savePage(page: Page, name: string, clip: typeof PAGE): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'png', clip });
  await session.detach();
  await fs.mkdir(SCREENS, { recursive: true });
  await fs.writeFile(path.join(SCREENS, `${name}.png`), Buffer.from(data, 'base64'));
}
