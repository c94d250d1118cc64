// Running the tools that the stages of `npm test` are made of.
import fs from 'node:fs/promises';
import path from 'node:path';
import { readJson } from '../setup/cache.mjs';
import { OUT, REPO } from '../setup/paths.mjs';
import { CommandError, run, which } from '../setup/process.mjs';
import { emptyCount, fail } from './count.mjs';

/** @typedef {import('./count.mjs').Count} Count */

const REPORTS = path.join(OUT, 'reports');
export const TEST_MODELS = path.join(OUT, 'test-models');
const MINUTE_MS = 60_000;
/** On a slow machine the longest of them takes half an hour; a test that hangs is ended by its runner long before. */
const TOOL_TIMEOUT_MS = 45 * MINUTE_MS;

/**
 * A script of an npm package, to be run with Node: no shell, no .cmd files.
 * @param {string} script below node_modules
 */
export function packageScript(script) {
  return path.join(REPO, 'node_modules', ...script.split('/'));
}

/**
 * Runs a program in the clone, its output to the terminal.
 * @param {string} command
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env] additions
 * @returns {Promise<string | null>} null if it ended well, else how it ended
 */
export async function tool(command, args, env = {}) {
  try {
    await run(command, args, {
      cwd: REPO,
      inherit: true,
      timeoutMs: TOOL_TIMEOUT_MS,
      env: { ...process.env, PILOTLIGHT_TEST_MODELS: TEST_MODELS, ...env },
    });
    return null;
  } catch (error) {
    if (error instanceof CommandError) return error.message;
    throw error;
  }
}

/**
 * A tool that has no tests of its own: it passes or fails as one.
 * @param {string} name
 * @param {string | null} failure
 * @returns {Count}
 */
export function countAsOne(name, failure) {
  const count = emptyCount();
  if (failure === null) count.n_passed = 1;
  else fail(count, `${name}: ${failure}`);
  return count;
}

/**
 * The counts of a runner, made sure of: a runner that failed without a failed test, or that ran nothing, has failed.
 * @param {string} name
 * @param {string | null} failure how the runner ended, null if well
 * @param {Count | null} count from its report, null if it left none
 * @returns {Count}
 */
export function settle(name, failure, count) {
  if (count === null) return countAsOne(name, failure ?? 'it wrote no report');
  if (failure !== null && count.n_failed === 0) fail(count, `${name}: ${failure}`);
  if (failure === null && count.n_passed + count.n_failed === 0)
    fail(count, `${name}: no test ran`);
  return count;
}

/**
 * A report's path, with the one of an earlier run removed.
 * @param {string} name
 */
export async function freshReport(name) {
  const file = path.join(REPORTS, name);
  await fs.mkdir(REPORTS, { recursive: true });
  await fs.rm(file, { force: true });
  return file;
}

/**
 * @param {string} file
 * @param {(report: any) => Count} counter
 * @returns {Promise<Count | null>}
 */
export async function countReport(file, counter) {
  const report = await readJson(file);
  return report === null ? null : counter(report);
}

/**
 * A command that needs a screen: on Linux it gets one of its own, so that windows neither need a display nor open
 * on the person's.
 * @param {string} command
 * @param {string[]} args
 * @returns {Promise<[string, string[]]>}
 */
export async function withScreen(command, args) {
  const xvfb = process.platform === 'linux' ? await which('xvfb-run') : null;
  if (xvfb === null) return [command, args];
  return [xvfb, ['-a', '-s', '-screen 0 1440x1000x24', command, ...args]];
}
