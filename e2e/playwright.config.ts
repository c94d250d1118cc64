import path from 'node:path';
import { defineConfig } from '@playwright/test';

/**
 * `desktop` drives real Electron: the app in out/, or the packaged one that PILOTLIGHT_E2E_EXECUTABLE names. With
 * PILOTLIGHT_E2E_BRIEF=1 it is less, for a run whose packaged app gets all of it afterwards. `browser` drives Chromium
 * against `pilotlight serve`; its `everybody-` files walk every screen with axe, the Tab key and at 200 %. `packages`
 * installs and starts what PILOTLIGHT_PACKAGES holds. `screenshots` renews docs/screens and only exists when
 * PILOTLIGHT_SCREENSHOTS=1 asks for it. Without a display run it all under `xvfb-run -a`.
 */
export default defineConfig({
  testDir: import.meta.dirname,
  outputDir: path.join(import.meta.dirname, '..', 'out', 'e2e'),
  // Each test starts apps of its own; two at once would only measure how they fight for the processor.
  workers: 1,
  forbidOnly: Boolean(process.env.CI),
  // On a machine that others share, a browser can stand still for longer than any wait here. What passes only then is
  // named in the summary with what went wrong before.
  retries: process.env.CI ? 1 : 0,
  timeout: 120_000,
  expect: { timeout: 30_000 },
  reporter: [['list']],
  use: { trace: 'off' },
  projects: [
    {
      name: 'desktop',
      testMatch:
        process.env.PILOTLIGHT_E2E_BRIEF === '1'
          ? /desktop-(chat|updates)\.spec\.ts$/
          : /desktop-.*\.spec\.ts$/,
    },
    ...(process.env.PILOTLIGHT_E2E_EXECUTABLE
      ? []
      : [{ name: 'browser', testMatch: /(browser|everybody)-.*\.spec\.ts$/ }]),
    ...(process.env.PILOTLIGHT_PACKAGES
      ? [{ name: 'packages', testMatch: /packages\.spec\.ts$/ }]
      : []),
    ...(process.env.PILOTLIGHT_SCREENSHOTS === '1'
      ? [{ name: 'screenshots', testMatch: /screen(s|shots)\.spec\.ts$/ }]
      : []),
  ],
});
