/** The browser of tests that need no desktop. */
import fs from 'node:fs';
import { test } from '@playwright/test';

/**
 * Debian's; elsewhere the browser that Playwright has installed. The one without a window of its own is the same engine
 * and takes a fifth less time, since it does not draw the other's tabs and toolbars anew for each page.
 */
const SYSTEM_CHROMIUM = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((file) =>
  fs.existsSync(file),
);

export const browserTest = test.extend({
  launchOptions: async ({ launchOptions }, use) =>
    use(
      SYSTEM_CHROMIUM === undefined
        ? launchOptions
        : { ...launchOptions, executablePath: SYSTEM_CHROMIUM },
    ),
});
