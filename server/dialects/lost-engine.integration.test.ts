// An engine that is killed while it writes: every dialect says so, once and last, and nothing that it wrote is lost.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../test-server.js';
import { ask, DIALECTS, readAll, readUntil } from './test-dialects.js';
import { ENDINGS, toldIn, withUsage } from './test-endings.js';
import { Wiretap } from './test-wiretap.js';

const tap = new Wiretap();
let test: TestServer;
beforeAll(async () => {
  test = await startTestServer({
    models: ['scripted-long'],
    wrap: tap.wrap,
    config: { contextLength: 16_384, parallel: 1 },
  });
});
afterAll(() => test.close());
beforeEach(() => tap.clear());

const every = Object.entries(DIALECTS);
const question = { model: 'scripted-long', text: 'Go.', maxTokens: 16_000 };
const REASON = /The engine process was killed/g;

function killEngine(): void {
  const pid = test.engines.at(-1)?.pid;
  if (pid === undefined) throw new Error('there is no engine');
  process.kill(pid, 'SIGKILL');
}

/** The model comes back, and its counts are right. */
async function answersAgain(name: string, stream: boolean): Promise<void> {
  await test.idle();
  tap.clear();
  const few = { ...question, maxTokens: 5, stream };
  const told = toldIn(await readAll(await ask(test, withUsage(name), few)));
  const [done] = tap.ends();
  const wanted = { prompt: done?.promptTokens, output: 5, reason: 'length' };
  expect(ENDINGS[name]?.ending(told)).toEqual(wanted);
  expect(tap.tokens()).toBe(5);
}

it.each(every)('%s: in a stream', async (name, dialect) => {
  const response = await ask(test, dialect, { ...question, stream: true });
  const begin = await readUntil(response, dialect.flowing);
  killEngine();
  const bytes = begin + (await readAll(response));
  expect(response.statusCode).toBe(200);
  expect(dialect.text(bytes)).toBe(tap.texts().join(''));
  expect(tap.ends()).toEqual([]);
  expect(() => dialect.streamed(bytes)).toThrow('cut off');
  expect(bytes.match(REASON)).toHaveLength(1);
  expect(JSON.stringify(toldIn(bytes).at(-1))).toMatch(REASON);
  await answersAgain(name, true);
});

describe.each(every)('%s: collected', (name, dialect) => {
  it('is a failure and no part of an answer', async () => {
    const asked = ask(test, dialect, { ...question, stream: false });
    await tap.until(() => tap.tokens() > 0);
    killEngine();
    const response = await asked;
    expect(response.statusCode).toBe(503);
    const body = JSON.parse(await readAll(response));
    expect(dialect.failure.safeParse(body).error).toBeUndefined();
    expect(JSON.stringify(body)).toMatch(REASON);
    await answersAgain(name, false);
  });
});
