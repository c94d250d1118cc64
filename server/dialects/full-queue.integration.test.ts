// More clients than may wait.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer, user } from '../test-server.js';
import { ask, DIALECTS, readAll } from './test-dialects.js';

let test: TestServer;
const leaving = new AbortController();
beforeAll(async () => {
  test = await startTestServer({ models: ['scripted-long'], config: { parallel: 1 } });
  await (await test.chat({ messages: [user('Go.')], max_tokens: 1 })).text();
  // A halted engine ends no answer, whatever the time.
  signalEngine('SIGSTOP');
  const crowd = Array.from({ length: 513 }, () =>
    test.chat({ messages: [user('Go.')], stream: true }, { signal: leaving.signal }),
  );
  for (const each of crowd) each.catch(() => {});
  await test.until(({ running, waiting }) => running + waiting === crowd.length);
});
afterAll(async () => {
  signalEngine('SIGCONT');
  leaving.abort();
  await test.idle();
  await test.close();
});

function signalEngine(signal: 'SIGSTOP' | 'SIGCONT'): void {
  const pid = test.engines.at(-1)?.pid;
  if (pid === undefined) throw new Error('there is no engine');
  process.kill(pid, signal);
}

describe.each([true, false])('stream: %s', (stream) => {
  it.each(Object.entries(DIALECTS))(
    '%s: says when to come back, in its own shape',
    async (_, dialect) => {
      const question = { model: 'scripted-long', text: 'Go.', maxTokens: 1, stream };
      const response = await ask(test, dialect, question);
      expect(response.statusCode).toBe(429);
      expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
      const body = JSON.parse(await readAll(response));
      expect(dialect.failure.safeParse(body).error).toBeUndefined();
      expect(JSON.stringify(body)).toContain('waiting already');
    },
  );
});
