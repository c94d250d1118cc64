// The self-test against a server that keeps its promises, a busy one, and some that do not.
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { apiOf } from '../../load/api.js';
import { selfTest } from '../../load/self-test/self-test.js';
import {
  SELF_TESTS,
  type SelfTestEvent,
  type SelfTestId,
  type SelfTestResult,
  selfTestEventSchema,
} from '../../protocol/self-test.js';
import { payloads, startTestServer, type TestServer, user } from '../test-server.js';

let test: TestServer;
beforeAll(async () => {
  test = await startTestServer({ models: ['toolcall', 'slow', 'embed'] });
});
afterEach(() => test.idle());
afterAll(() => test.close());

const never = new AbortController().signal;

async function run(url: string, model: string | null = null): Promise<SelfTestEvent[]> {
  const events: SelfTestEvent[] = [];
  const options = { api: apiOf(url), model, origins: [], signal: never };
  for await (const event of selfTest(options)) events.push(event);
  return events;
}

const resultsOf = (events: readonly SelfTestEvent[]): SelfTestResult[] =>
  events.flatMap((event) => (event.type === 'result' ? [event] : []));

const failures = (events: readonly SelfTestEvent[]): Partial<Record<SelfTestId, string | null>> =>
  Object.fromEntries(
    resultsOf(events)
      .filter(({ status }) => status === 'failed')
      .map((result) => [result.test, result.detail]),
  );

const skipped = (events: readonly SelfTestEvent[]) =>
  resultsOf(events)
    .filter(({ status }) => status === 'skipped')
    .map((result) => result.test);

describe('a server that keeps its promises', () => {
  it('passes all that can be tried', async () => {
    const events = await run(test.server.url);
    expect(failures(events)).toEqual({});
    expect(skipped(events).filter((id) => id !== 'cancel')).toEqual(['cors', 'key_guard']);
    expect(events[0]).toMatchObject({ type: 'begin', model: 'toolcall' });
    expect(resultsOf(events).map((result) => result.test)).toEqual([...SELF_TESTS]);
  });

  it('passes while it is busy, and its answers end when their client goes', async () => {
    const busy = new AbortController();
    const body = { model: 'slow', messages: [user('Go on.')], stream: true };
    const others = [1, 2].map(async () => {
      const answer = await test.chat(body, { signal: busy.signal });
      // Read on, as one that is not read waits for its reader.
      return answer.text().catch(() => 'left');
    });
    await test.until(({ running }) => running === others.length);
    const events = await run(test.server.url, 'slow');
    busy.abort();
    await Promise.all(others);
    expect(failures(events)).toEqual({});
    expect(skipped(events)).toEqual(['tools', 'cors', 'key_guard']);
  });

  it('tells all of it over its route, with the key of who asks', async () => {
    const locked = await startTestServer({
      models: ['scripted'],
      config: { apiKeys: ['k'], allowedOrigins: ['https://app.example'] },
    });
    const headers = { authorization: 'Bearer k', 'content-type': 'application/json' };
    const response = await locked.post('/pilotlight/self-test', {}, { headers });
    const events = payloads(await response.text()).map((text) =>
      selfTestEventSchema.parse(JSON.parse(text)),
    );
    await locked.close();
    expect(failures(events)).toEqual({});
    const passed = resultsOf(events).filter(({ status }) => status === 'passed');
    expect(passed.map((result) => result.test)).toEqual(
      expect.arrayContaining(['key_guard', 'cors', 'origin_guard']),
    );
    expect(events.at(-1)).toMatchObject({ type: 'end', failed: 0, passed: passed.length });
    expect(JSON.stringify(events)).not.toContain('Bearer');
  });

  it('without a model tells what it cannot try', async () => {
    const empty = await startTestServer({ models: [] });
    const events = await run(empty.server.url);
    await empty.close();
    expect(failures(events)).toEqual({});
    expect(skipped(events)).toEqual(expect.arrayContaining(['chat', 'chat_stream', 'embeddings']));
  });
});

type Damage = (text: string, req: http.IncomingMessage) => string;

/** Stands before the server and damages what it says. */
async function damaged<T>(damage: Damage, use: (url: string) => Promise<T>): Promise<T> {
  const proxy = http.createServer((req, res) => {
    const { port: own } = proxy.address() as AddressInfo;
    const host =
      req.headers.host === `127.0.0.1:${own}` ? `127.0.0.1:${test.port}` : req.headers.host;
    const passed = http.request(
      {
        ...{ host: '127.0.0.1', port: test.port, path: req.url, method: req.method },
        headers: { ...req.headers, host },
        agent: false,
      },
      async (answer) => {
        let text = '';
        for await (const part of answer.setEncoding('utf8')) text += part;
        const {
          'content-length': _,
          'transfer-encoding': __,
          connection: ___,
          ...headers
        } = answer.headers;
        res.writeHead(answer.statusCode ?? 502, headers).end(damage(text, req));
      },
    );
    req.pipe(passed);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  try {
    return await use(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  } finally {
    proxy.closeAllConnections();
    proxy.close();
  }
}

const inChat = (change: (text: string) => string): Damage => {
  return (text, { url }) => (url === '/v1/chat/completions' ? change(text) : text);
};

describe('a server that breaks its promises is found out:', () => {
  it.each<[string, Damage, Partial<Record<SelfTestId, RegExp>>]>([
    [
      'no [DONE]',
      inChat((text) => text.replace('data: [DONE]\n\n', '')),
      { chat_stream: /no end of its own/ },
    ],
    [
      'another id in each chunk',
      inChat((text) => {
        let n = 0;
        return text.replace(/data: \{"id":"/g, (found) => `${found}${n++}`);
      }),
      { chat_stream: /id is not the same/ },
    ],
    [
      'no usage',
      inChat((text) => text.replace(/data: \{[^\n]*"choices":\[\],[^\n]*\n\n/, '')),
      { chat_stream: /usage was asked for/ },
    ],
    ['errors without param', (text) => text.replace('"param":null,', ''), { errors: /four keys/ }],
    [
      'arguments that are no JSON',
      inChat((text) => text.replace(/"arguments":"[^}]*\}"/, '"arguments":"nothing"')),
      { tools: /arguments are not/ },
    ],
    [
      'wrong sums',
      inChat((text) => text.replace(/"total_tokens":\d+/, '"total_tokens":1')),
      { chat: /tokens are not 1/, chat_stream: /counts contradict/ },
    ],
  ])('%s', async (_name, damage, found) => {
    const told = failures(await damaged(damage, (url) => run(url)));
    expect(Object.keys(told).sort()).toEqual(Object.keys(found).sort());
    for (const [id, pattern] of Object.entries(found)) {
      expect(told[id as SelfTestId]).toMatch(pattern);
    }
  });

  it('a proxy that damages nothing passes', async () => {
    const told = failures(
      await damaged(
        (text) => text,
        (url) => run(url),
      ),
    );
    expect(told).toEqual({});
  });

  it('nobody there', async () => {
    const events = await run('http://127.0.0.1:9');
    expect(failures(events)).toEqual({ health: expect.stringContaining('there is no answer') });
    expect(skipped(events)).toHaveLength(SELF_TESTS.length - 1);
  });
});
