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
          { status: 'failed', fullName: 'a breaks' },
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
    failures: ['a breaks', 'b.test.ts'],
  });
});

test('counts Playwright’s report, nested, with flaky tests named', () => {
  const spec = (title: string, status: string) => ({ title, tests: [{ status }] });
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
  expect(count).toEqual({
    n_passed: 2,
    n_failed: 2,
    n_skipped: 0,
    failures: [
      'window.spec.ts › chat › streams',
      'window.spec.ts › chat › stops (passed on a retry)',
      'cannot load config',
    ],
  });
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
