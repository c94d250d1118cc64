import fs from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import type { AxeResults } from 'axe-core';

const source = fs.readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);

/**
 * Invisible stops of the component library at the edges of an open menu: reached with Tab they hand the focus on at
 * once, so nobody ever stands on one. axe cannot know that.
 */
const FOCUS_GUARDS = '[data-base-ui-focus-guard]';

/**
 * Accessibility faults of the page as it is now that keep people out: axe's serious and critical ones, one line each.
 * `rules`: only these.
 */
export async function accessibilityFaults(
  page: Page,
  rules?: readonly string[],
): Promise<string[]> {
  await page.evaluate(source);
  const options = JSON.stringify(rules ? { runOnly: rules } : {});
  const run = `axe.run({ exclude: ['${FOCUS_GUARDS}'] }, ${options})`;
  const { violations } = (await page.evaluate(run)) as AxeResults;
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => node.html).join(' ')}`);
}
