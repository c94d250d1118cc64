import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { type Measured, type Summary, summarize } from './load-client.js';
import { report, withReport } from './report.js';
import { type Results, type Round, readResults, type Series, verdicts } from './results.js';
import { arrivalFigures, type Measurement } from './workloads.js';

function measurement(tokensPerSecond: number, changes: Partial<Summary> = {}): Measurement {
  const use = { streams: 16, serverCpu: 1.9, clientCpu: 0.05, otherCpu: 0, serverRss: 2 ** 28 };
  const summary = {
    ...summarize([], 1000),
    ...use,
    tokensPerSecond,
    isEstimate: false,
    ...changes,
  };
  return { summary, figures: {} };
}

const round = (ours: number, peer: number | null, bound: number | null): Round => ({
  ours: measurement(ours, { ttftMs: { p50: 60, p95: 90, max: 95 } }),
  peer: peer === null ? null : measurement(peer, { ttftMs: { p50: 100, p95: 90, max: 300 } }),
  bound: bound === null ? null : { prefillMs: 1, decodeMs: 1, tokensPerSecond: bound },
});

const chat: Series = {
  workload: 'chat',
  streams: 16,
  rounds: [round(120, 100, 125), round(118, 100, 125), round(90, 100, 125)],
};

const results: Results = {
  conditions: {
    ...{ date: '2026-11-30T08:00:00.000Z', commit: 'abc1234', processor: 'A processor', cores: 2 },
    ...{ memoryBytes: 2 ** 34, system: 'Linux 6.1 x64', node: 'v20.19.0', build: 'llama.cpp 1' },
    ...{ loadAverage: 0.1, threads: 2 },
  },
  series: [chat],
};

it('compares the rounds in pairs and takes the median of the ratios', () => {
  const found = verdicts(chat);
  expect(
    found.map(({ name, ratio, target, isReached }) => [name, ratio.median, target, isReached]),
  ).toEqual([
    ['tokens/s ÷ raw bound', 118 / 125, 0.93, true],
    ['tokens/s ÷ llama-server', 1.18, 1.1, true],
    ['TTFT p50 ÷ llama-server', 0.6, 0.7, true],
    ['TTFT p95 ÷ llama-server', 1, 0.9, false],
  ]);
});

it('leaves out what was not measured', () => {
  const rounds = [round(120, null, null)];
  expect(verdicts({ ...chat, rounds })).toEqual([]);
  expect(verdicts({ ...chat, streams: 1, rounds: [round(1, 2, null)] })[0]).toMatchObject({
    ...{ name: 'tokens/s ÷ llama-server', target: 1, isReached: false },
  });
});

it('puts rounds of several files together', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pilotlight-bench-test-'));
  try {
    const files = ['a.json', 'b.json'].map((name) => path.join(folder, name));
    for (const file of files) writeFileSync(file, JSON.stringify(results));
    const { series } = readResults(files);
    expect(series).toHaveLength(1);
    expect(series[0]?.rounds).toHaveLength(6);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('writes the document between its marks and keeps the rest', () => {
  const marks = [
    '<!-- measured: written by bench/report.ts -->',
    '<!-- end of what was measured -->',
  ];
  const text = report(results);
  expect(text).toContain('A processor, 2 cores, 16 GiB');
  expect(text).toContain('| 16 | llama-server | 100.0 | 100 / 90.0 | ');
  expect(text).toContain('| 16 | raw bound | 125.0 |');
  expect(text).toContain('| 1.180 | 1.040 to 1.190 | 0.900 to 1.200 | 3 | ≥ 1.1: reached |');
  const once = withReport(`before\n${marks[0]}\nold\n${marks[1]}\nafter\n`, text);
  expect(once).toBe(`before\n${marks[0]}\n\n${text}\n\n${marks[1]}\nafter\n`);
  expect(withReport(once, text)).toBe(once);
  expect(() => withReport('no marks', text)).toThrow('lacks the lines');
});

it('finds the worst gap while a long prompt is computed', () => {
  const answer = (begunAt: number, arrivals: number[]): Measured => ({
    ...{ begunAt, arrivals, endMs: 0, counts: null, failure: null },
  });
  // The long prompt comes at 1000 and is answered at 1400; the gap of 900 is after that.
  const long = answer(1000, [400, 410]);
  const first = answer(500, [100, 110, 120, 490, 600, 850, 920, 1820]);
  const second = answer(0, [990, 1020, 1390, 1405]);
  expect(arrivalFigures([first, second], long)).toEqual({
    ...{ worst_gap_ms: 370, median_gap_before_ms: 10, median_gap_after_ms: 900 },
    ...{ worst_over_median: 37, worst_over_median_after: 370 / 900 },
    worst_over_median_of_all: 370 / 90,
    long_prompt_ttft_ms: 400,
  });
  expect(arrivalFigures([first], null)).toEqual({});
});
