// Which steps a profile has, and running them in order.
import path from 'node:path';
import { bundlesStep } from './bundles.mjs';
import { electronRuntimeStep } from './electron-runtime.mjs';
import { engineStep } from './engine.mjs';
import { withLock } from './lock.mjs';
import { npmPackagesStep } from './npm.mjs';
import { STATE } from './paths.mjs';
import { SetupError } from './process.mjs';
import { formatDuration, StepLine } from './progress.mjs';
import { systemPackagesStep } from './system-packages.mjs';

/**
 * @typedef {import('./system-packages.mjs').Profile} Profile
 *
 * @typedef {object} Step
 * @property {string} title
 * @property {() => Promise<boolean>} isDone quick: no network, no build
 * @property {(line: StepLine) => Promise<string | undefined | void>} run resolves with a note for the screen; may be
 *   killed at any time and run again
 */

/** @type {readonly Profile[]} */
export const PROFILES = ['check', 'engine', 'headless', 'desktop', 'test'];

/**
 * @param {Profile} profile
 * @returns {Step[]}
 */
function stepsOf(profile) {
  if (profile === 'check') return [systemPackagesStep(profile), npmPackagesStep()];
  if (profile === 'engine') {
    return [systemPackagesStep(profile), npmPackagesStep(), engineStep()];
  }
  const window = profile === 'headless' ? [] : [electronRuntimeStep()];
  return [systemPackagesStep(profile), npmPackagesStep(), engineStep(), ...window, bundlesStep()];
}

/**
 * Brings the clone to where a profile can run. Does nothing, quickly, where that is so already.
 * @param {Profile} profile
 * @returns {Promise<boolean>} whether there was anything to do
 * @throws {SetupError} naming what to do
 */
export async function setUp(profile) {
  const steps = stepsOf(profile);
  if (await areDone(steps)) return false;
  const lock = path.join(STATE, 'setup.lock');
  return withLock(
    lock,
    async () => {
      if (await areDone(steps)) return false;
      await runSteps(steps);
      return true;
    },
    (holder) => {
      process.stderr.write(
        `Another set-up of this clone is running (process ${holder.pid}); waiting for it.\n`,
      );
    },
  );
}

/** @param {Step[]} steps */
async function areDone(steps) {
  for (const step of steps) if (!(await step.isDone())) return false;
  return true;
}

/** @param {Step[]} steps */
async function runSteps(steps) {
  const startedAt = Date.now();
  process.stderr.write(
    'Setting up Pilotlight. This happens once, and again in part when sources change.\n',
  );
  for (const [index, step] of steps.entries()) {
    const line = new StepLine(index + 1, steps.length, step.title);
    if (await step.isDone()) {
      line.already();
      continue;
    }
    line.start();
    try {
      line.done((await step.run(line)) ?? undefined);
    } catch (error) {
      line.failed();
      throw error;
    }
  }
  process.stderr.write(`Set up in ${formatDuration(Date.now() - startedAt)}.\n`);
}

/**
 * Tells the person what went wrong with set-up and what to do, and sets the exit status.
 * @param {unknown} error
 */
export function reportFailure(error) {
  if (error instanceof SetupError) {
    process.stderr.write(`\n${error.message}\n${error.advice ? `\n${error.advice}\n` : ''}`);
  } else {
    process.stderr.write(`\n${explainSystemError(error)}\n`);
  }
  process.exitCode = 1;
}

/** @param {unknown} error */
function explainSystemError(error) {
  const code = /** @type {NodeJS.ErrnoException | null} */ (error)?.code;
  const text = error instanceof Error ? error.message : String(error);
  if (code === 'ENOSPC')
    return `The disk is full: ${text}\nMake room (about 2 GB), then start again.`;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return `No permission: ${text}\nCheck who owns the clone and the cache folder, or set PILOTLIGHT_CACHE_DIR to a folder of yours, then start again.`;
  }
  return error instanceof Error ? (error.stack ?? text) : text;
}
