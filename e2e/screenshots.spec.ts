import path from 'node:path';
import { expect } from '@playwright/test';
import { test } from './desktop-app.js';
import { REPO } from './folders.js';

const SCREENS = path.join(REPO, 'docs', 'screens');
/** Twice as fine as the window's own pixels, for the README. */
const METRICS = { width: 1000, height: 720, deviceScaleFactor: 2, mobile: false };

for (const theme of ['light', 'dark'] as const) {
  test(`the window of the README, ${theme}`, async ({ launch }) => {
    const app = await launch({ args: [] });
    await app.electron.evaluate(({ nativeTheme }, source) => {
      nativeTheme.themeSource = source;
    }, theme);
    await app.ready();
    await app.chat.pickModel('guide');
    const session = await app.page.context().newCDPSession(app.page);
    await session.send('Emulation.setDeviceMetricsOverride', METRICS);
    await app.page.screenshot({
      path: path.join(SCREENS, `welcome-${theme}.png`),
      scale: 'device',
    });

    await app.chat.ask('How do I add a model?');
    await app.chat.expectStatus('complete');
    await app.chat.ask('How do I connect my program?');
    await app.chat.expectStatus('complete');
    await expect(app.page.getByTestId('tokens-per-second').last()).toBeVisible();
    // The pointer rests where it shows no tool tip.
    await app.page.mouse.move(2, 400);
    await app.page.screenshot({ path: path.join(SCREENS, `chat-${theme}.png`), scale: 'device' });
  });
}
