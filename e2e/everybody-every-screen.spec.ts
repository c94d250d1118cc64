// Every screen of the window, for everybody: in both themes, by keyboard, heard, without motion, enlarged.
import { expect, type Page } from '@playwright/test';
import { accessibilityFaults } from './axe.js';
import { browserTest } from './browser.js';
import { SCREENS } from './every-screen.js';
import {
  closingFaults,
  keyboardFaults,
  layoutFaults,
  motionFaults,
  structureFaults,
} from './screen-checks.js';
import { type World, windowWorld } from './window-world.js';

const WIDE = { width: 1280, height: 800 };
/** 1280 x 800 pixels at 200 %, and the narrowest that a page must do with. */
const SMALL = [
  { width: 640, height: 400 },
  { width: 320, height: 640 },
];

/** One server and one page for all: only what is shown changes. */
const test = browserTest.extend<object, { world: World; shared: Page }>({
  world: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern.
    async ({}, use) => {
      const world = await windowWorld();
      await use(world);
      await world.stop();
    },
    { scope: 'worker' },
  ],
  shared: [
    async ({ browser }, use) => {
      const page = await browser.newPage();
      await use(page);
      await page.close();
    },
    { scope: 'worker' },
  ],
});

/** What is still wrong once the page has had time to follow its new size. */
async function lasting(check: () => Promise<string[]>): Promise<string[]> {
  let faults: string[] = [];
  const isClean = async () => {
    faults = await check();
    return faults.length === 0;
  };
  await expect
    .poll(isClean, { timeout: 5_000 })
    .toBe(true)
    .catch(() => {});
  return faults;
}

for (const screen of SCREENS) {
  test(screen.name, async ({ shared: page, world }) => {
    const show = async () => {
      // The same address once more would not be loaded anew.
      await page.goto('about:blank');
      await page.goto(`${world.url}/${screen.hash(world)}`);
      await expect(page.getByTestId('connection-state')).toHaveAttribute('data-state', 'online');
      await screen.open(page);
    };
    const theme = (colorScheme: 'light' | 'dark') =>
      page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const faults: Record<string, string[]> = {};

    await page.setViewportSize(WIDE);
    await theme('light');
    await show();
    faults.light = await accessibilityFaults(page);
    await theme('dark');
    faults.dark = await accessibilityFaults(page, ['color-contrast']);
    faults.motion = await motionFaults(page);
    faults.structure = await structureFaults(page, 'en');
    if (screen.above) faults.closing = await closingFaults(page);
    else faults.keyboard = await keyboardFaults(page);

    for (const size of SMALL) {
      await page.setViewportSize(size);
      // What is open above the page may be closed where the page changes below it.
      if (screen.above || screen.inSidebar) await show();
      faults[`${size.width} px`] = await lasting(() => layoutFaults(page));
    }
    const found = Object.entries(faults).filter(([, lines]) => lines.length > 0);
    expect(Object.fromEntries(found)).toEqual({});
  });
}
