/** Pictures of every screen in docs/screens, in both themes, wide and narrow, and the page that shows them. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { expect, type Page } from '@playwright/test';
import { browserTest } from './browser.js';
import { ChatPage } from './chat-page.js';
import { REPO } from './folders.js';
import { ScreenWorld } from './screen-world.js';
import { SCREENS, type Screen } from './screens.js';

const FOLDER = path.join(REPO, 'docs', 'screens');
const THEMES = ['light', 'dark'] as const;
const SIZES = {
  wide: { width: 1280, height: 800 },
  narrow: { width: 400, height: 800 },
} as const;
/** Of WebP, 0 to 100. */
const QUALITY = 82;

const test = browserTest.extend<object, { world: ScreenWorld }>({
  world: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from the pattern.
    async ({}, use) => {
      const world = await ScreenWorld.start();
      await use(world);
      await world.stop();
    },
    { scope: 'worker' },
  ],
});

for (const screen of SCREENS) {
  test(screen.name, async ({ browser, world }) => {
    for (const theme of THEMES) {
      for (const [size, viewport] of Object.entries(SIZES)) {
        const context = await browser.newContext({
          ...{ viewport, colorScheme: theme, reducedMotion: 'reduce' },
          ...{ locale: 'en-US', timezoneId: 'UTC' },
        });
        const page = await context.newPage();
        await open(page, world, screen, size === 'narrow');
        await save(page, world, `${screen.name}-${size}-${theme}`);
        await context.close();
      }
    }
  });
}

test('the page of all pictures', async () => {
  const rows = SCREENS.map(({ name, title }) => {
    const pictures = Object.keys(SIZES).flatMap((size) =>
      THEMES.map((theme) => `![${title}, ${size}, ${theme}](${name}-${size}-${theme}.webp)`),
    );
    return `## ${title}\n\n${pictures.join('\n')}\n`;
  });
  const head =
    '# Every screen\n\nTaken by `e2e/screens.spec.ts`; this page too. The chats are made up, and small test models stand in for the large ones whose names and sizes are shown: no figure here is measured.\n';
  // Taken by screenshots.spec.ts: a window of its own, as large as what is in it.
  const quick = THEMES.map((theme) => `![The quick question, ${theme}](quick-ask-${theme}.png)`);
  const last = `## The quick question\n\n${quick.join('\n')}\n`;
  await fs.writeFile(path.join(FOLDER, 'README.md'), [head, ...rows, last].join('\n'));
});

async function open(page: Page, world: ScreenWorld, screen: Screen, isNarrow: boolean) {
  await page.goto(world.address(screen.place));
  await new ChatPage(page).ready();
  if (screen.sign) await page.locator(screen.sign).first().waitFor();
  await screen.show?.(page, world, isNarrow);
  await expect(page.getByText(/Loading \d+/)).toHaveCount(0);
}

async function save(page: Page, world: ScreenWorld, name: string): Promise<void> {
  // The pointer rests where it shows no tool tip.
  await page.mouse.move(2, 400);
  await page.evaluate(() => document.fonts.ready);
  await page.evaluate(settle, world.shown);
  const session = await page.context().newCDPSession(page);
  const options = { format: 'webp', quality: QUALITY } as const;
  const { data } = await session.send('Page.captureScreenshot', options);
  await fs.mkdir(FOLDER, { recursive: true });
  await fs.writeFile(path.join(FOLDER, `${name}.webp`), Buffer.from(data, 'base64'));
}

/** In the page: says what is the same in every run, and hides the caret, which blinks. */
function settle(shown: readonly [string, string][]): void {
  const words = (text: string) => {
    let said = text
      .replace(/\b\d\d:\d\d:\d\d\b/g, '10:24:07')
      .replace(/\breq_\w+/g, 'req_7f3c2a')
      .replace(/\brcpt_\w+/g, 'rcpt_51d09e')
      .replace(/\b\d+,\d{3} tokens\/s/g, '46.3 tokens/s');
    for (const [found, instead] of shown) said = said.replaceAll(found, instead);
    return said;
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { currentNode } = texts;
    const text = currentNode.nodeValue ?? '';
    const said = words(text);
    if (said !== text) currentNode.nodeValue = said;
  }
  for (const field of document.querySelectorAll('input')) {
    field.value = words(field.value);
    field.placeholder = words(field.placeholder);
  }
  document.body.style.caretColor = 'transparent';
}
