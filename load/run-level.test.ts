// Levels against servers that are too busy, refuse, or go away.
import { describe, expect, it } from 'vitest';
import { apiOf } from './api.js';
import { type LevelHooks, type LevelPlan, runLevel } from './run-level.js';
import { summarize } from './summary.js';
import { chatChunks, type RogueAnswer, rogueServers, sendEvents } from './test-rogue-server.js';

const start = rogueServers();

const plan: LevelPlan = {
  ...{ concurrency: 2, until: { requests: 6 }, rate: null, warmUp: 0, timeoutMs: 10_000 },
  shape: { protocol: 'chat', model: 'm', maxTokens: 8, usage: true, fields: {} },
  prompt: (mark) => mark,
};
const hooks = (changes: Partial<LevelHooks> = {}): LevelHooks => ({
  ...{ signal: new AbortController().signal, onBegin() {}, onOutput() {}, onAnswer() {} },
  ...changes,
});
const whole: RogueAnswer = (res) => {
  sendEvents(res, [...chatChunks(), '[DONE]']);
  res.end();
};
const refuse = (status: number, headers: Record<string, string> = {}): RogueAnswer => {
  return (res) => res.writeHead(status, headers).end('{"error":{"message":"No."}}');
};

describe('a level', () => {
  it('sends as many requests as wanted, so many at the same time, each another one', async () => {
    // Nobody is answered before two are there.
    const waiting: (() => void)[] = [];
    let most = 0;
    const { url, requests } = await start((res, request) => {
      most = Math.max(
        most,
        waiting.push(() => whole(res, request)),
      );
      if (waiting.length === 2) for (const answer of waiting.splice(0)) answer();
    });
    const run = await runLevel(apiOf(url), plan, hooks());
    expect(run).toMatchObject({ busy: 0, late: 0, unfinished: 0, stoppedBy: null });
    expect(run.answers).toHaveLength(6);
    expect(most).toBe(2);
    const prompts = requests.map(({ body }) => JSON.stringify(body.messages));
    expect(new Set(prompts).size).toBe(6);
    expect(requests[0]?.body).toMatchObject({
      ...{ model: 'm', max_tokens: 8, temperature: 0, stream: true },
      stream_options: { include_usage: true },
    });
  });

  it('warms up without measuring that', async () => {
    const { url, requests } = await start(whole);
    const run = await runLevel(apiOf(url), { ...plan, warmUp: 3 }, hooks());
    expect([requests.length, run.answers.length]).toEqual([9, 6]);
  });

  it('asks again where a server is too busy, when it wants to be asked, and counts it', async () => {
    const times: number[] = [];
    const { url } = await start((res, request) => {
      times.push(performance.now());
      (request.number === 0 ? refuse(429, { 'retry-after': '0.2' }) : whole)(res, request);
    });
    const one = { ...plan, concurrency: 1, until: { requests: 1 } };
    const run = await runLevel(apiOf(url), one, hooks());
    expect(run.busy).toBe(1);
    expect(summarize(run, false)).toMatchObject({ ok: 1, failed: 0, busy_answers: 1 });
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(199);
  });

  it('gives up on a server that is always too busy, or wants too long a wait', async () => {
    for (const wait of ['0', '86400']) {
      const { url } = await start(refuse(429, { 'retry-after': wait }));
      const run = await runLevel(apiOf(url), plan, hooks());
      expect(run.stoppedBy).toBeNull();
      expect(run.busy).toBe(wait === '0' ? 36 : 6);
      expect(summarize(run, false)).toMatchObject({ ok: 0, failed: 6 });
    }
  });

  it.each([400, 401, 403, 404])('ends where no request can succeed: %i', async (status) => {
    const { url, requests } = await start(refuse(status));
    const run = await runLevel(apiOf(url), { ...plan, until: { requests: 1000 } }, hooks());
    expect(run.stoppedBy).toMatchObject({ type: 'refused', status });
    expect(requests.length).toBeLessThan(10);
  });

  it('goes on where a request fails that another one need not', async () => {
    const { url } = await start((res, request) => {
      (request.number % 2 ? whole : refuse(500))(res, request);
    });
    const run = await runLevel(apiOf(url), plan, hooks());
    expect(summarize(run, false)).toMatchObject({
      ...{ requests: 6, ok: 3, failed: 3, protocol_errors: 0 },
      troubles: [{ type: 'failed', kind: 'refused', message: '500: No.', requests: 3 }],
    });
  });

  it('goes on where streams break, and tells how many', async () => {
    const { url } = await start((res) => {
      sendEvents(res, chatChunks().slice(0, 3));
      setImmediate(() => res.socket?.destroy());
    });
    const run = await runLevel(apiOf(url), plan, hooks());
    const { failed, protocol_errors, counted_by, output_tokens } = summarize(run, false);
    expect({ failed, protocol_errors, counted_by, output_tokens }).toEqual({
      ...{ failed: 6, protocol_errors: 0, counted_by: 'estimate', output_tokens: 12 },
    });
  });

  it('ends where nobody listens any more', async () => {
    const { url } = await start(whole);
    const run = await runLevel({ ...apiOf(url), port: 1 }, plan, hooks());
    expect(run.stoppedBy).toMatchObject({ type: 'unreachable' });
  });

  it('begins requests for a while', async () => {
    const { url } = await start(whole);
    const run = await runLevel(apiOf(url), { ...plan, until: { durationMs: 100 } }, hooks());
    expect(run.wallMs).toBeGreaterThanOrEqual(100);
    expect(run.answers.length).toBeGreaterThan(0);
  });

  it('ends early by its signal, without what was still running', async () => {
    const stop = new AbortController();
    const { url } = await start((res, request) => {
      if (request.number < 4) whole(res, request);
      else if (request.number === 5) stop.abort();
    });
    const run = await runLevel(apiOf(url), plan, hooks({ signal: stop.signal }));
    expect(run.unfinished).toBe(2);
    expect(summarize(run, false)).toMatchObject({ requests: 4, ok: 4, unfinished: 2 });
  });

  it('begins requests at a rate, and tells which began late', async () => {
    const begun: number[] = [];
    const { url } = await start((res, request) => {
      begun.push(performance.now());
      whole(res, request);
    });
    const rate = { ...plan, rate: 50, until: { requests: 5 } };
    const before = performance.now();
    const run = await runLevel(apiOf(url), rate, hooks());
    expect(run.answers).toHaveLength(5);
    // Timers may be a millisecond early.
    for (const [i, at] of begun.entries()) expect(at - before).toBeGreaterThan(20 * i - 2);

    const slow = await start((res, request) => {
      setTimeout(() => whole(res, request), 30);
    });
    const late = await runLevel(apiOf(slow.url), { ...rate, concurrency: 1 }, hooks());
    expect(late.late).toBe(4);
  });
});
