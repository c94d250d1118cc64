import { describe, expect, it } from 'vitest';
import type { Answer } from './ask.js';
import { EXIT, exitStatus, type Report, remarks } from './report.js';
import type { LevelRun } from './run-level.js';
import { summarize } from './summary.js';
import { testReport } from './test-report.js';

const answer = (changes: Partial<Answer> = {}): Answer => ({
  ...{ begunAt: 1000, arrivals: [10, 20, 40], endMs: 50, failure: null, violations: [] },
  ...{ counts: { prompt: 5, output: 6, cached: 2 }, isStopped: false },
  ...changes,
});
const failure: Answer['failure'] = {
  ...{ type: 'broken', message: 'gone', status: 200, code: '', retryAfterMs: null },
};
const violation = { kind: 'id_changed', message: 'other', event: 2, count: 4 } as const;
const run = (answers: Answer[], changes: Partial<LevelRun> = {}): LevelRun => ({
  ...{ concurrency: 2, answers, wallMs: 500, begunAt: 1000, busy: 0, late: 0, unfinished: 0 },
  ...{ stoppedBy: null, clientCpu: 0.1 },
  ...changes,
});

describe('a level', () => {
  it('is summed up by what the server counts', () => {
    expect(
      summarize(run([answer(), answer({ begunAt: 1900 })], { wallMs: 1000 }), false),
    ).toMatchObject({
      ...{ concurrency: 2, requests: 2, ok: 2, failed: 0, protocol_errors: 0 },
      ...{ prompt_tokens: 10, cached_tokens: 4, output_tokens: 12, output_tokens_per_s: 12 },
      counted_by: 'server',
      ttft: { p50: 10, p95: 10, p99: 10, max: 10 },
      inter_token: { p50: 15, max: 20 },
      request: { p50: 50, max: 50 },
      throughput: [
        { at_ms: 0, tokens_per_s: 12 },
        { at_ms: 500, tokens_per_s: 12 },
      ],
    });
  });

  it('without counts is an estimate, but for typed events, of which each is a token', () => {
    const uncounted = run([answer(), answer({ counts: null })]);
    expect(summarize(uncounted, false)).toMatchObject({ counted_by: 'estimate', output_tokens: 9 });
    expect(summarize(uncounted, true)).toMatchObject({ counted_by: 'client', output_tokens: 9 });
    expect(summarize(run([answer({ counts: null, arrivals: [] })]), false)).toMatchObject({
      ...{ counted_by: 'server', prompt_tokens: null, cached_tokens: null },
      ttft: { p50: null, percentiles: [] },
    });
  });

  it('counts each request once: in order, failed, or against the protocol', () => {
    const incomplete: Answer['failure'] = { ...failure, type: 'incomplete' };
    const summary = summarize(
      run([
        answer(),
        answer({ failure }),
        answer({ violations: [violation] }),
        answer({ violations: [violation], failure: incomplete }),
      ]),
      false,
    );
    expect(summary).toMatchObject({ requests: 4, ok: 1, failed: 1, protocol_errors: 2 });
    expect(summary.troubles).toEqual([
      { type: 'protocol_error', kind: 'id_changed', message: 'other', requests: 2, count: 8 },
      { type: 'failed', kind: 'broken', message: 'gone', requests: 1, count: 1 },
    ]);
    expect(summary.rows.map(({ outcome, troubles }) => [outcome, ...troubles])).toEqual([
      ['ok'],
      ['failed', 'broken'],
      ...[0, 1].map(() => ['protocol_error', 'id_changed']),
    ]);
  });

  it('of nothing is a level all the same', () => {
    expect(summarize(run([]), false)).toMatchObject({ requests: 0, output_tokens: 0 });
  });
});

describe('the exit status', () => {
  const withLevel = (level: object, changes: Partial<Report> = {}) => {
    const report = testReport();
    return { ...report, levels: report.levels.map((one) => ({ ...one, ...level })), ...changes };
  };
  it.each<[string, Report, number]>([
    ['all in order', withLevel({}), EXIT.fine],
    ['violations', withLevel({ protocol_errors: 1, failed: 1 }), EXIT.protocolErrors],
    ['failures', withLevel({ failed: 1 }), EXIT.failures],
    ['interrupted', withLevel({ failed: 1 }, { ended: 'interrupted' }), EXIT.interrupted],
    [
      'violations before',
      withLevel({ protocol_errors: 1 }, { ended: 'interrupted' }),
      EXIT.protocolErrors,
    ],
    ['server gone', withLevel({ failed: 1 }, { ended: 'stopped' }), EXIT.notRun],
  ])('tells: %s', (_, report, status) => {
    expect(exitStatus(report)).toBe(status);
  });
});

it('remarks tell what the numbers do not', () => {
  expect(remarks(testReport())).toEqual([]);
  const report = testReport({
    ...{ counted_by: 'estimate', busy_answers: 2, late: 3, unfinished: 4, client_cpu: 0.9 },
  });
  report.settings.prompt = 'Hi.';
  const told = remarks({ ...report, ended: 'stopped', reason: 'Nobody listens.' });
  for (const words of [
    'Nobody listens',
    'estimate',
    '(429): 4',
    'taken: 6',
    'counted: 8',
    'same',
  ]) {
    expect(told.join('\n')).toContain(words);
  }
  expect(told).toHaveLength(7);
});
