/**
 * Renders the icons beside this file from their SVG sources: `node resources/icon/render.mjs`. Run it after a change
 * of a source; the PNGs are committed. Needs Chromium: Playwright's own, or the one named by CHROMIUM.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';

/** @type {[source: string, pixels: number, target: string][]} */
const icons = [
  ...[16, 24, 32, 48, 64, 128, 256, 512].map(
    (size) => /** @type {[string, number, string]} */ (['icon.svg', size, `${size}x${size}.png`]),
  ),
  ['tray.svg', 16, 'tray.png'],
  ['tray.svg', 32, 'tray@2x.png'],
  ['tray-template.svg', 16, 'trayTemplate.png'],
  ['tray-template.svg', 32, 'trayTemplate@2x.png'],
];

const system = '/usr/bin/chromium';
const executablePath = process.env.CHROMIUM ?? (existsSync(system) ? system : undefined);
const browser = await chromium.launch({
  ...(executablePath ? { executablePath } : {}),
  args: ['--no-sandbox', '--force-color-profile=srgb'],
});
try {
  const page = await browser.newPage();
  for (const [source, size, target] of icons) {
    const svg = readFileSync(fileURLToPath(new URL(source, import.meta.url)), 'utf8');
    await page.setViewportSize({ width: size, height: size });
    await page.setContent(
      `<style>body{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${svg}`,
    );
    const png = await page.screenshot({ omitBackground: true });
    writeFileSync(fileURLToPath(new URL(target, import.meta.url)), png);
    console.log(`${target} ${size} px`);
  }
} finally {
  await browser.close();
}
