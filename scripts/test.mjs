// `npm test`: sets up, runs every stage, and ends with "N passed, N failed".
// `node scripts/test.mjs unit cpp` runs only the stages named.
import { rm } from 'node:fs/promises';
import { checkNode } from './setup/node-version.mjs';

checkNode();
const { PROFILES, reportFailure, setUp } = await import('./setup/steps.mjs');
const { formatDuration } = await import('./setup/progress.mjs');
const { endWithParent } = await import('./setup/orphan.mjs');
const { countAsOne, packageScript, TEST_MODELS, tool } = await import('./test/tools.mjs');
const { STAGES } = await import('./test/stages.mjs');
const { summaryLine } = await import('./test/count.mjs');

/** @typedef {import('./test/count.mjs').Count} Count */

endWithParent();
const names = process.argv.slice(2);
const unknown = names.filter((name) => !(name in STAGES));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no stage called ${unknown.join(', ')}: expected ${Object.keys(STAGES).join(', ')}.\n`,
  );
  process.exit(2);
}
const chosen = Object.entries(STAGES).filter(
  ([name]) => names.length === 0 || names.includes(name),
);

try {
  const wanted = new Set(chosen.map(([, stage]) => stage.profile));
  await setUp(PROFILES.findLast((profile) => wanted.has(profile)) ?? 'test');
} catch (error) {
  reportFailure(error);
  process.stdout.write('\nSet-up failed, so nothing was tested.\n0 passed, 1 failed\n');
  process.exit(1);
}

/** @type {{ title: string, count: Count, ms: number }[]} */
const results = [];
if (chosen.some(([, stage]) => stage.needsModels)) {
  await runStage('Test models', async () => {
    const failure = await makeTestModels();
    // Not a test: it counts only where it fails.
    return failure === null ? null : countAsOne('test models', failure);
  });
}
for (const [, stage] of chosen) await runStage(stage.title, stage.run);

process.stdout.write('\n');
for (const { title, count, ms } of results) {
  const skipped = count.n_skipped > 0 ? `, ${count.n_skipped} skipped` : '';
  const counts = `${count.n_passed} passed, ${count.n_failed} failed${skipped}`;
  process.stdout.write(`${title}: ${counts} (${formatDuration(ms)})\n`);
  for (const failure of count.failures) {
    process.stdout.write(`    ${failure.replaceAll('\n', '\n    ')}\n`);
  }
}
const counts = results.map((result) => result.count);
process.stdout.write(`\n${summaryLine(counts)}\n`);
process.exitCode = counts.some((count) => count.n_failed > 0) ? 1 : 0;

/**
 * @param {string} title
 * @param {() => Promise<Count | null>} work
 */
async function runStage(title, work) {
  process.stdout.write(`\n── ${title} ${'─'.repeat(Math.max(0, 76 - title.length))}\n`);
  const startedAt = Date.now();
  const count = await work().catch((error) => {
    process.stdout.write(`${error?.stack ?? error}\n`);
    return countAsOne(title, String(error?.message ?? error));
  });
  if (count) results.push({ title, count, ms: Date.now() - startedAt });
}

async function makeTestModels() {
  const generate = () =>
    tool(process.execPath, [
      packageScript('tsx/dist/cli.mjs'),
      'scripts/test-models/main.ts',
      TEST_MODELS,
    ]);
  if ((await generate()) === null) return null;
  // Once more from nothing, in case a killed run left a folder that the generator does not understand.
  await rm(TEST_MODELS, { recursive: true, force: true });
  return generate();
}
