/** For tests: a report as a run in order makes it, of two levels. */
import type { Answer } from './ask.js';
import type { Report } from './report.js';
import { type LevelSummary, summarize } from './summary.js';

function level(concurrency: number, changes: Partial<LevelSummary>): LevelSummary {
  const answers = Array.from(
    { length: 8 },
    (_, i): Answer => ({
      ...{ begunAt: i * 100, endMs: 90 + i, failure: null, violations: [], isStopped: false },
      arrivals: [10 + i, 30 + 2 * i, 60 + 3 * i],
      counts: { prompt: 12, output: 3, cached: 0 },
    }),
  );
  return {
    ...summarize(
      {
        ...{ concurrency, answers, wallMs: 900, begunAt: 0, busy: 0, late: 0, unfinished: 0 },
        ...{ stoppedBy: null, clientCpu: 0.1 },
      },
      false,
    ),
    ...changes,
  };
}

/** @param changes to each level */
export function testReport(changes: Partial<LevelSummary> = {}): Report {
  return {
    ...{ tool: 'pilotlight bench', version: '1.2.3', date: '2030-01-02T03:04:05.000Z' },
    ...{ url: 'http://127.0.0.1:7411', protocol: 'chat', model: 'm' },
    settings: {
      ...{ prompt: null, prompt_tokens: 64, max_tokens: 128, requests: 8, duration_s: null },
      ...{ rate_per_s: null, warm_up: null, timeout_s: 300 },
    },
    ...{ ended: 'done', reason: null, levels: [level(1, changes), level(4, changes)] },
  };
}
