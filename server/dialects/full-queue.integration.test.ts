// More clients than may wait.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer, user } from '../test-server.js';
import { ask, DIALECTS, readAll } from './test-dialects.js';

let test: TestServer;
const leaving = new AbortController();
beforeAll(async () => {
  // Nobody reads the first one's stream, so that it does not end whatever the time: it rests in its slot.
  const config = { parallel: 1, contextLength: 32_768 };
  test = await startTestServer({ models: ['scripted-long'], config });
  const crowd = Array.from({ length: 513 }, () =>
    test.chat({ messages: [user('Go.')], stream: true }, { signal: leaving.signal }),
  );
  for (const each of crowd) each.catch(() => {});
  await test.until(({ running, waiting }) => running + waiting === crowd.length);
});
afterAll(async () => {
  leaving.abort();
  await test.idle();
  await test.close();
});

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
