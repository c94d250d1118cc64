import { expect, it } from 'vitest';
import { reportPage } from './report-page.js';
import { reportTable } from './report-table.js';
import { testReport } from './test-report.js';

it('a page holds everything it needs', () => {
  const page = reportPage(testReport());
  expect(page).toMatch(/^<!doctype html>/);
  expect(page).not.toMatch(/<script|<link|<img|@import|url\(|src=/);
  expect(page).toContain("default-src 'none'");
  expect(page).toContain('prefers-color-scheme: dark');
  for (const title of ['Time to first token', 'Inter-token time', 'Throughput over time']) {
    expect(page).toContain(`<title id=`);
    expect(page).toContain(`>${title}</title>`);
  }
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const named = [...page.matchAll(/aria-labelledby="([^"]+)"/g)].flatMap(([, names = '']) =>
    names.split(' '),
  );
  expect(named).toHaveLength(8);
  for (const name of named) expect(ids).toContain(name);
  expect(page).not.toMatch(/NaN|undefined|null|Infinity/);
});

it('a page shows what a server said as text', () => {
  const report = testReport({
    troubles: [
      {
        ...{ type: 'failed', kind: 'refused', requests: 1, count: 1 },
        message: '<script>alert(1)</script> & "more"',
      },
    ],
  });
  report.model = '<b>m</b>';
  const page = reportPage(report);
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;more&quot;');
  expect(page).toContain('&lt;b&gt;m&lt;/b&gt;');
  expect(page).not.toContain('<script');
});

it('a page of a run without answers has no charts, and is whole', () => {
  const times = { p50: null, p95: null, p99: null, max: null, percentiles: [] };
  const page = reportPage(
    testReport({
      ...{ ttft: times, inter_token: times, throughput: [], output_tokens: 0, rows: [] },
      ...{ requests: 0, ok: 0, prompt_tokens: null, cached_tokens: null },
    }),
  );
  expect(page).not.toContain('role="img"');
  expect(page).not.toMatch(/NaN|undefined|Infinity/);
  expect(page).toContain('</html>');
});

it('a table has the numbers of each level', () => {
  const lines = reportTable(testReport()).split('\n');
  expect(lines[0]).toMatch(/^\| +\| 1 at once \| 4 at once \|$/);
  expect(lines[1]).toMatch(/^\| -+ \| -+: \| -+: \|$/);
  const rows = Object.fromEntries(
    lines.slice(2).map((line) => {
      const [, label = '', ...cells] = line.split('|').map((cell) => cell.trim());
      return [label, cells.slice(0, 2)];
    }),
  );
  expect(rows).toMatchObject({
    requests: ['8', '8'],
    'output tokens': ['24', '24'],
    'output tokens/s': ['26.7', '26.7'],
    'counted by': ['server', 'server'],
    'prompt tokens, mean': ['12', '12'],
    'first token p50, ms': ['13.5', '13.5'],
  });
});
