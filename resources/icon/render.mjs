/**
 * Renders the icons beside this file from icon.svg and tray-icons.mjs: `node resources/icon/render.mjs`. Run it after a
 * change of a source; the PNGs and the files for Windows and macOS are committed. Needs Chromium: Playwright's own, or the one named by CHROMIUM.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { ICNS_SIZES, ICO_SIZES, icnsFile, icoFile } from './containers.mjs';
import { trayIcons } from './tray-icons.mjs';

const ICON = readFileSync(fileURLToPath(new URL('icon.svg', import.meta.url)), 'utf8');
/** How Electron finds the picture for a finer screen; Windows has screens in between, macOS has not. */
const TRAY_SCALES = /** @type {const} */ ([
  ['', 16],
  ['@1.25x', 20],
  ['@1.5x', 24],
  ['@2x', 32],
]);

/** @type {[svg: string, pixels: number, target: string][]} */
const icons = [
  ...[16, 24, 32, 48, 64, 128, 256, 512].map(
    (size) => /** @type {[string, number, string]} */ ([ICON, size, `${size}x${size}.png`]),
  ),
  ...trayIcons().flatMap(({ name, svg }) =>
    TRAY_SCALES.filter(([suffix]) => !name.endsWith('Template') || !suffix.includes('.')).map(
      ([suffix, size]) =>
        /** @type {[string, number, string]} */ ([svg, size, `tray/${name}${suffix}.png`]),
    ),
  ),
];

const system = '/usr/bin/chromium';
const executablePath = process.env.CHROMIUM ?? (existsSync(system) ? system : undefined);
const browser = await chromium.launch({
  ...(executablePath ? { executablePath } : {}),
  args: ['--no-sandbox', '--force-color-profile=srgb'],
});
try {
  const page = await browser.newPage();
  const render = async (/** @type {string} */ svg, /** @type {number} */ size) => {
    await page.setViewportSize({ width: size, height: size });
    await page.setContent(
      `<style>body{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${svg}`,
    );
    return page.screenshot({ omitBackground: true });
  };
  for (const [svg, size, target] of icons) write(target, await render(svg, size));
  const sizes = [...new Set([...ICO_SIZES, ...ICNS_SIZES])];
  /** @type {Map<number, Buffer>} */
  const app = new Map();
  for (const size of sizes) app.set(size, await render(ICON, size));
  const pick = (/** @type {readonly number[]} */ wanted) =>
    wanted.map((size) => app.get(size) ?? Buffer.alloc(0));
  write('icon.ico', icoFile(pick(ICO_SIZES)));
  write('icon.icns', icnsFile(pick(ICNS_SIZES)));
} finally {
  await browser.close();
}

/** @param {string} target @param {Buffer} content */
function write(target, content) {
  writeFileSync(fileURLToPath(new URL(target, import.meta.url)), content);
  console.log(`${target} ${content.length} bytes`);
}
