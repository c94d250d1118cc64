/** The browser of tests that need no desktop. */
import fs from 'node:fs';
import { test } from '@playwright/test';

/** Debian's; elsewhere the browser that Playwright has installed. */
const SYSTEM_CHROMIUM = '/usr/bin/chromium';

export const browserTest = test.extend({
  launchOptions: async ({ launchOptions }, use) =>
    use(
      fs.existsSync(SYSTEM_CHROMIUM)
        ? { ...launchOptions, executablePath: SYSTEM_CHROMIUM }
        : launchOptions,
    ),
});
