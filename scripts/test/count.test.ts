import { expect, test } from 'vitest';
import { countJUnit, countPlaywright, countVitest, emptyCount, summaryLine } from './count.mjs';
import { settle } from './tools.mjs';

test('counts Vitest’s report, and a file that does not load as one failure', () => {
  const count = countVitest({
    testResults: [
      {
        name: 'a.test.ts',
        status: 'failed',
        assertionResults: [
          { status: 'passed', fullName: 'a works' },
          {
            status: 'failed',
            fullName: 'a breaks',
            failureMessages: [
              '\u001b[31mAssertionError: 1 is not 2\u001b[39m\n\n    at a.test.ts:3:1',
            ],
          },
          { status: 'pending', fullName: 'a later' },
        ],
      },
      { name: 'b.test.ts', status: 'failed', assertionResults: [] },
    ],
  });
  expect(count).toEqual({
    n_passed: 1,
    n_failed: 2,
    n_skipped: 1,
    failures: ['a breaks\n    AssertionError: 1 is not 2\n        at a.test.ts:3:1', 'b.test.ts'],
  });
});

test('counts Playwright’s report, nested, with flaky tests named', () => {
  const error = {
    message: ['nothing to click', ...Array.from({ length: 30 }, (_, at) => `  call ${at}`)].join(
      '\n',
    ),
    location: { file: 'window.spec.ts', line: 7, column: 2 },
  };
  const spec = (title: string, status: string) => ({
    title,
    tests: [{ status, results: status === 'expected' ? [{}] : [{ error }, {}] }],
  });
  const count = countPlaywright({
    suites: [
      {
        title: 'window.spec.ts',
        specs: [spec('opens', 'expected')],
        suites: [{ title: 'chat', specs: [spec('streams', 'unexpected'), spec('stops', 'flaky')] }],
      },
    ],
    errors: [{ message: 'cannot load config\nat …' }],
  });
  expect(count).toMatchObject({ n_passed: 2, n_failed: 2, n_skipped: 0 });
  expect(count.failures.map((failure) => failure.split('\n')[0])).toEqual([
    'window.spec.ts › chat › streams',
    'window.spec.ts › chat › stops (passed on a retry)',
    'cannot load config',
  ]);
  const told = count.failures[0]?.split('\n') ?? [];
  expect(told[1]).toBe('    nothing to click');
  expect(told.at(-1)).toBe('    at window.spec.ts:7');
  expect(told.length).toBeLessThan(20);
});

test('counts CTest’s report', () => {
  const xml = `<?xml version="1.0"?>
<testsuite name="Linux-c++" tests="4" failures="1" disabled="1">
  <testcase name="utf8_test" classname="utf8_test" time="0.01" status="run"><system-out>ok</system-out></testcase>
  <testcase name="utf8_test_asan" classname="utf8_test_asan" time="0.1" status="fail"><failure message=""/></testcase>
  <testcase name="gone_test" classname="gone_test" status="notrun"/>
  <testcase name="off_test" classname="off_test" status="disabled"/>
</testsuite>`;
  expect(countJUnit(xml)).toEqual({
    n_passed: 1,
    n_failed: 2,
    n_skipped: 1,
    failures: ['utf8_test_asan', 'gone_test'],
  });
});

test('a runner that fails without a failed test has failed once', () => {
  const passed = { ...emptyCount(), n_passed: 3 };
  expect(settle('vitest', 'ended with status 1', passed)).toMatchObject({
    n_passed: 3,
    n_failed: 1,
  });
  expect(settle('vitest', null, null)).toMatchObject({ n_failed: 1 });
  expect(settle('vitest', null, emptyCount())).toMatchObject({ n_failed: 1 });
});

test('the last line sums up', () => {
  const some = { ...emptyCount(), n_passed: 40, n_failed: 1 };
  expect(summaryLine([some, { ...emptyCount(), n_passed: 2 }])).toBe('42 passed, 1 failed');
  expect(summaryLine([])).toBe('0 passed, 0 failed');
});
