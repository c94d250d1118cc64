// A client that leaves before its answer is complete frees its place, wherever its request is.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../test-server.js';
import { ask, DIALECTS, readUntil } from './test-dialects.js';
import { Wiretap } from './test-wiretap.js';

const every = Object.entries(DIALECTS);
const tap = new Wiretap();
let test: TestServer;
beforeAll(async () => {
  test = await startTestServer({
    models: ['scripted-long', 'slow'],
    wrap: tap.wrap,
    config: { parallel: 1, contextLength: 8192 },
  });
});
afterAll(() => test.close());
beforeEach(() => tap.clear());

const long = { model: 'scripted-long', text: 'Go.', maxTokens: 8_000 };

describe.each([true, false])('stream: %s', (stream) => {
  it.each(every)('%s: in the queue, it never runs', async (_, dialect) => {
    const first = await ask(test, dialect, { ...long, stream: true });
    await test.until(({ running }) => running === 1);
    const leaving = new AbortController();
    const second = ask(test, dialect, { ...long, stream }, leaving.signal);
    second.catch(() => {});
    await test.until(({ waiting }) => waiting === 1);
    leaving.abort();
    await test.until(({ running, waiting }) => running === 1 && waiting === 0);
    expect(tap.ends()).toMatchObject([{ finishReason: 'cancelled', outputTokens: 0 }]);
    first.destroy();
    await test.idle();
  });

  it.each(every)('%s: in prefill, it gets no token', async (name, dialect) => {
    const leaving = new AbortController();
    // No other prompt begins like this one.
    const text = `${name} ${stream} ${'word '.repeat(1_500)}`;
    const asked = ask(test, dialect, { ...long, model: 'slow', text, stream }, leaving.signal);
    asked.catch(() => {});
    await test.until(({ running }) => running === 1);
    leaving.abort();
    await test.idle();
    expect(tap.ends()).toMatchObject([{ finishReason: 'cancelled', outputTokens: 0 }]);
  });

  it.each(every)('%s: while its answer is written, that ends', async (_, dialect) => {
    const leaving = new AbortController();
    const asked = ask(test, dialect, { ...long, stream }, leaving.signal);
    asked.catch(() => {});
    if (stream) await readUntil(await asked, dialect.flowing);
    else await tap.until(() => tap.tokens() > 0);
    leaving.abort();
    await test.idle();
    expect(tap.ends()).toMatchObject([{ finishReason: 'cancelled' }]);
  });
});
