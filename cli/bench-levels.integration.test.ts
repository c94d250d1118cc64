// The load client against a real server: each protocol is kept, and all tokens are counted.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, apiOf, PROTOCOLS, type Protocol } from '../load/api.js';
import { CannotRun, check, discover } from '../load/discover.js';
import type { RequestShape } from '../load/prompts.js';
import { runLevel } from '../load/run-level.js';
import { summarize } from '../load/summary.js';
import { usageSchema } from '../protocol/usage.js';
import { startTestServer, type TestServer } from '../server/test-server.js';

let test: TestServer;
let api: Api;
beforeAll(async () => {
  test = await startTestServer({
    models: ['random', 'scripted', 'broken-utf8', 'toolcall', 'thinking'],
    config: { parallel: 4 },
  });
  api = apiOf(test.server.url);
});
afterAll(() => test.close());

const signal = new AbortController().signal;
const shapeOf = (protocol: Protocol, changes: Partial<RequestShape> = {}): RequestShape => ({
  ...{ protocol, model: 'random', maxTokens: 12, usage: true, fields: {} },
  ...changes,
});

async function level(shape: RequestShape) {
  const run = await runLevel(
    api,
    {
      ...{ concurrency: 3, until: { requests: 9 }, rate: null, warmUp: 1, timeoutMs: 60_000 },
      ...{ shape, prompt: (mark: string) => `${mark}: hello` },
    },
    { signal, onBegin() {}, onOutput() {}, onAnswer() {} },
  );
  return summarize(run, shape.protocol === 'typed');
}

it('has a name in the account of who asked', async () => {
  await level(shapeOf('chat'));
  const answer = await fetch(`${test.server.url}/v1/usage?group_by=client`);
  const { data } = usageSchema.parse(await answer.json());
  expect(data.map(({ client }) => client)).toContain('pilotlight-bench');
});

describe.each(PROTOCOLS)('%s', (protocol) => {
  it('is kept, and counts each token', async () => {
    const summary = await level(shapeOf(protocol));
    expect(summary).toMatchObject({
      ...{ requests: 9, ok: 9, failed: 0, protocol_errors: 0, troubles: [] },
      ...{ output_tokens: 9 * 12, counted_by: 'server', unfinished: 0 },
    });
    expect(summary.prompt_tokens).toBeGreaterThan(9);
    const { p50, p95, max } = summary.ttft;
    expect([p50, p95, max].map(Number)).toEqual([p50, p95, max].map(Number).sort((a, b) => a - b));
    expect(summary.ttft.percentiles).toHaveLength(101);
    const shown = summary.throughput.map(({ tokens_per_s }) => tokens_per_s);
    const stretch = summary.wall_ms / shown.length / 1000;
    expect(shown.reduce((sum, n) => sum + n * stretch, 0)).toBeCloseTo(9 * 12);
  });

  it.each(['scripted', 'broken-utf8', 'thinking'])('is kept by the model %s', async (model) => {
    const { ok, troubles } = await level(shapeOf(protocol, { model, maxTokens: 40 }));
    expect([ok, troubles]).toEqual([9, []]);
  });

  it('is tried before it is measured', async () => {
    expect(
      await check(api, shapeOf(protocol), 'Hi.', { signal, timeoutMs: 60_000 }),
    ).toBeGreaterThan(0);
    const unknown = check(api, shapeOf(protocol, { model: 'nobody' }), 'Hi.', {
      ...{ signal, timeoutMs: 60_000 },
    });
    await expect(unknown).rejects.toThrow(CannotRun);
    await expect(unknown).rejects.toThrow(/has no model "nobody".*--model/);
  });
});

it('several choices are followed, and tools', async () => {
  const choices = await level(shapeOf('chat', { fields: { n: 3, temperature: 1 } }));
  expect(choices).toMatchObject({ ok: 9, output_tokens: 3 * 9 * 12 });
  const tool = { type: 'function', function: { name: 'weather', parameters: { type: 'object' } } };
  const calls = await level(
    shapeOf('chat', { model: 'toolcall', maxTokens: 200, fields: { tools: [tool] } }),
  );
  expect([calls.ok, calls.troubles]).toEqual([9, []]);
});

it('without usage the count is an estimate', async () => {
  const { counted_by, ok } = await level(shapeOf('chat', { usage: false }));
  expect([counted_by, ok]).toEqual(['estimate', 9]);
});

it('a Pilotlight is known by its health, and gives its current model', async () => {
  const found = await discover(api, { protocol: null, model: null }, signal);
  expect(found).toEqual({ protocol: 'typed', model: 'random' });
  const chat = apiOf(`${test.server.url}/v1/chat/completions`);
  expect(await discover(chat, { protocol: null, model: 'scripted' }, signal)).toEqual({
    ...{ protocol: 'chat', model: 'scripted' },
  });
});
