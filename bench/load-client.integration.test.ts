import { expect, it } from 'vitest';
import { testServers } from '../server/test-server.js';
import { ask, runLoad, targetOf } from './load-client.js';

const start = testServers();
const body = (content: string, max_tokens = 12) => ({
  messages: [{ role: 'user', content }],
  max_tokens,
});

it('gets every token of every stream from a real server', async () => {
  const { server } = await start({ models: ['random'], config: { parallel: 4 } });
  const bodies = ['a', 'b', 'c'].map((name) => [body(name), body(`${name} again`)]);
  const summary = await runLoad(targetOf(server.url), bodies, process.pid);
  expect(summary).toMatchObject({
    ...{ streams: 3, requests: 6, failures: 0, failure: null },
    ...{ outputTokens: 6 * 12, isEstimate: false },
  });
  expect(summary.promptTokens).toBeGreaterThan(6);
});

it('tells what a server refuses', async () => {
  const { server } = await start({ models: ['random'] });
  const { failure } = await ask(targetOf(server.url), { ...body('a'), temperature: 9 });
  expect(failure?.message).toMatch(/^400: .*temperature must be a number from 0 to 2/);
});

it('goes when its signal says so, which is no failure', async () => {
  const { server } = await start({ models: ['random'] });
  const stop = new AbortController();
  const answer = await ask(targetOf(server.url), body('a', 1500), {
    signal: stop.signal,
    onOutput: (n) => n === 3 && stop.abort(),
  });
  expect(answer.failure).toBeNull();
  expect(answer.counts).toBeNull();
  expect(answer.arrivals.length).toBeGreaterThanOrEqual(3);
});

it('tells that nobody listens', async () => {
  const { failure } = await ask(targetOf('http://127.0.0.1:1'), body('a'));
  expect(failure?.message).toContain('the connection failed');
});
