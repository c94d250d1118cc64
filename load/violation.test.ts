import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { VIOLATIONS } from './violation.js';

it('every kind is described for those who meet it', async () => {
  const guide = await readFile(path.join(import.meta.dirname, '..', 'docs', 'bench.md'), 'utf8');
  for (const [kind, meaning] of Object.entries(VIOLATIONS)) {
    expect(guide).toContain(`| \`${kind}\` | ${meaning} |`);
  }
});
