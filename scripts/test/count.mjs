// How many tests a stage passed and failed, read from the report its runner wrote.
import { stripVTControlCharacters } from 'node:util';

/** Of a message. What was expected, what came instead and what was waited for come first. */
const MESSAGE_LINES = 12;

/**
 * @typedef {object} Count
 * @property {number} n_passed
 * @property {number} n_failed
 * @property {number} n_skipped
 * @property {string[]} failures for the summary: a name, then the first lines of its message where the report has them
 */

/** @returns {Count} */
export function emptyCount() {
  return { n_passed: 0, n_failed: 0, n_skipped: 0, failures: [] };
}

/**
 * Vitest's JSON report. A file that could not even be loaded has no tests and counts as one failure.
 * @param {any} report
 * @returns {Count}
 */
export function countVitest(report) {
  const count = emptyCount();
  for (const file of report.testResults ?? []) {
    const tests = file.assertionResults ?? [];
    for (const test of tests) {
      if (test.status === 'passed') count.n_passed++;
      else if (test.status === 'failed') {
        fail(count, test.fullName ?? test.title, test.failureMessages?.[0]);
      } else count.n_skipped++;
    }
    const hasFailed = tests.some((/** @type {any} */ test) => test.status === 'failed');
    if (file.status === 'failed' && !hasFailed) fail(count, file.name, file.message);
  }
  return count;
}

/**
 * Playwright's JSON report. A test that passed only on a retry counts as passed and is named.
 * @param {any} report
 * @returns {Count}
 */
export function countPlaywright(report) {
  const count = emptyCount();
  /** @param {any} suite @param {string} prefix */
  const visit = (suite, prefix) => {
    const title = [prefix, suite.title].filter(Boolean).join(' › ');
    for (const spec of suite.specs ?? []) {
      for (const test of spec.tests ?? []) {
        const name = `${title} › ${spec.title}`;
        const error = test.results?.findLast((/** @type {any} */ one) => one.error)?.error;
        const message = error && `${error.message}\n${place(error.location)}`;
        if (test.status === 'skipped') count.n_skipped++;
        else if (test.status === 'unexpected') fail(count, name, message);
        else count.n_passed++;
        if (test.status === 'flaky') {
          count.failures.push(entry(`${name} (passed on a retry)`, message));
        }
      }
    }
    for (const child of suite.suites ?? []) visit(child, title);
  };
  for (const suite of report.suites ?? []) visit(suite, '');
  // Errors outside any test: a configuration or a file that does not load.
  for (const error of report.errors ?? []) fail(count, firstLine(error.message ?? 'error'));
  return count;
}

/**
 * CTest's JUnit report.
 * @param {string} xml
 * @returns {Count}
 */
export function countJUnit(xml) {
  const count = emptyCount();
  for (const [, attributes = ''] of xml.matchAll(/<testcase\b([^>]*?)\/?>/g)) {
    const status = attribute(attributes, 'status');
    const name = attribute(attributes, 'name') ?? '?';
    if (status === 'run') count.n_passed++;
    else if (status === 'disabled') count.n_skipped++;
    else fail(count, name);
  }
  return count;
}

/**
 * The last line of a whole run. Stages whose runner reported nothing were counted as one failure each.
 * @param {Count[]} counts
 */
export function summaryLine(counts) {
  const n_passed = counts.reduce((sum, count) => sum + count.n_passed, 0);
  const n_failed = counts.reduce((sum, count) => sum + count.n_failed, 0);
  return `${n_passed} passed, ${n_failed} failed`;
}

/**
 * @param {Count} count
 * @param {string} name
 * @param {string} [message]
 */
export function fail(count, name, message) {
  count.n_failed++;
  count.failures.push(entry(name, message));
}

/**
 * @param {string} name
 * @param {string} [message] lines after the first few are left out, but for the last: where it happened
 */
function entry(name, message) {
  const lines = stripVTControlCharacters(message ?? '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const shown = [...lines.slice(0, MESSAGE_LINES), ...lines.slice(MESSAGE_LINES).slice(-1)];
  return [name, ...shown.map((line) => `    ${line.trimEnd()}`)].join('\n');
}

/** @param {{ file: string, line: number } | undefined} location */
function place(location) {
  return location ? `at ${location.file}:${location.line}` : '';
}

/**
 * @param {string} attributes
 * @param {string} name
 */
function attribute(attributes, name) {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1];
}

/** @param {string} text */
function firstLine(text) {
  return text.split('\n')[0] ?? text;
}
