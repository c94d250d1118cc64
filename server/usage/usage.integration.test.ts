import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { type Usage, usageSchema } from '../../protocol/usage.js';
import { DIALECTS } from '../dialects/test-dialects.js';
import { failure, startTestServer, type TestServer, testServers, user } from '../test-server.js';
import { dayOf, daysBefore } from './day.js';

const start = testServers();

async function usageOf(test: TestServer, query = ''): Promise<Usage> {
  const response = await fetch(`${test.server.url}/v1/usage${query}`);
  expect(response.status).toBe(200);
  return usageSchema.parse(await response.json());
}

const as = (client: string) => ({
  headers: { 'content-type': 'application/json', 'user-agent': client },
});

describe('usage', () => {
  it('is told by day, model and client', async () => {
    const test = await start({ models: ['scripted', 'embed'] });
    const before = dayOf(Date.now());
    const body = { messages: [user('Hi.')], max_tokens: 5 };
    for (const client of ['alice/1', 'bob/1', 'alice/1']) {
      await test.chat(body, as(client)).then((response) => response.text());
    }
    await test.chat({ messages: 1 }, as('bob/1')).then((response) => response.text());
    await test
      .post('/v1/embeddings', { input: 'a', model: 'embed' }, as('bob/1'))
      .then((response) => response.text());
    const told = await usageOf(test);
    expect(told).toMatchObject({
      object: 'usage',
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      group_by: ['day', 'model', 'client'],
      total: { requests: 5, failed: 1, cancelled: 0, output_tokens: 15 },
    });
    expect(told.from).toBe(daysBefore(told.to, 29));
    expect([before, dayOf(Date.now())]).toContain(told.data[0]?.day);
    expect(told.data).toMatchObject([
      { model: '', client: 'bob/1', requests: 1, failed: 1, prompt_tokens: 0, output_tokens: 0 },
      { model: 'embed', client: 'bob/1', requests: 1, failed: 0, output_tokens: 0 },
      { model: 'scripted', client: 'alice/1', requests: 2, failed: 0, output_tokens: 10 },
      { model: 'scripted', client: 'bob/1', requests: 1, failed: 0, output_tokens: 5 },
    ]);
    const grouped = await usageOf(test, '?group_by=client&model=scripted');
    expect(grouped.total).toMatchObject({ requests: 3, output_tokens: 15 });
    const [first = {}] = grouped.data;
    expect(Object.keys(first)[0]).toBe('client');
    expect(first).not.toHaveProperty('day');
    expect(grouped.data.map(({ client, requests }) => [client, requests])).toEqual([
      ['alice/1', 2],
      ['bob/1', 1],
    ]);
    expect((await usageOf(test, '?client=alice/1&group_by=model')).data).toMatchObject([
      { model: 'scripted', requests: 2 },
    ]);
    expect(await usageOf(test, '?group_by=')).toMatchObject({ total: { requests: 5 }, data: [] });
    const past = await usageOf(test, '?from=2020-01-01&to=2020-12-31');
    expect(past).toMatchObject({ from: '2020-01-01', total: { requests: 0 }, data: [] });
  });

  it('is the sum of what every dialect answered, and of those who left', async () => {
    const test = await start({ models: ['scripted', 'scripted-long'] });
    let output = 0;
    for (const dialect of Object.values(DIALECTS)) {
      for (const stream of [true, false]) {
        const question = { model: 'scripted', text: 'Hi', maxTokens: 5, stream };
        const response = await test.post(dialect.path, dialect.body(question), as('sum'));
        expect([dialect.path, response.status]).toEqual([dialect.path, 200]);
        await response.text();
        output += 5;
      }
    }
    const answered = 2 * Object.keys(DIALECTS).length;
    const { total } = await usageOf(test);
    expect(total).toMatchObject({ requests: answered, failed: 0, output_tokens: output });
    expect(total.cached_tokens).toBeGreaterThan(0);
    expect(total.cached_tokens).toBeLessThan(total.prompt_tokens);

    const leaving = new AbortController();
    const long = { model: 'scripted-long', messages: [user('Go.')], stream: true };
    await test.chat(long, { signal: leaving.signal });
    await test.until(({ running }) => running === 1);
    leaving.abort();
    await test.idle();
    expect((await usageOf(test)).total).toMatchObject({ requests: answered + 1, cancelled: 1 });
  });

  it('outlives the server', async () => {
    const first = await startTestServer({ models: ['scripted'] });
    await first.answer({ messages: [user('Hi.')], max_tokens: 5 });
    await first.stop();
    const second = await start({ models: ['scripted'], dataDir: first.dataDir });
    expect((await usageOf(second)).total).toMatchObject({ requests: 1, output_tokens: 5 });
    await second.answer({ messages: [user('Hi.')], max_tokens: 5 });
    expect((await usageOf(second)).total).toMatchObject({ requests: 2, output_tokens: 10 });
    await second.stop();
    await rm(first.dataDir, { recursive: true, force: true });
  });

  it('names clients by their keys, and needs one', async () => {
    const test = await start({ models: ['scripted'], config: { apiKeys: ['secret'] } });
    const headers = { ...as('curl/8').headers, authorization: 'Bearer secret' };
    const body = { messages: [user('Hi.')], max_tokens: 1 };
    await test.chat(body, { headers }).then((response) => response.text());
    expect((await fetch(`${test.server.url}/v1/usage`)).status).toBe(401);
    const told = await fetch(`${test.server.url}/v1/usage?group_by=client`, { headers });
    const { data } = usageSchema.parse(await told.json());
    expect(data).toMatchObject([{ client: 'api-key', requests: 1 }]);
  });
});

describe('a query', () => {
  it.each([
    ['from=yesterday', 'from'],
    ['from=2026-02-30', 'from'],
    ['to=2026-1-1', 'to'],
    ['to=', 'to'],
    ['from=2026-02-02&to=2026-02-01', 'from'],
    ['from=9999-12-31', 'from'],
    ['group_by=hour', 'group_by'],
    ['group_by=day,,model', 'group_by'],
    ['group_by=day;DROP TABLE usage', 'group_by'],
    ['group=day', 'group'],
    ['model=a&model=b', 'model'],
    ['model=a\0b', 'model'],
    ['client=abc\0zzz', 'client'],
  ])('%s is refused, and told why', async (query, param) => {
    const test = await start();
    const refused = await failure(await fetch(`${test.server.url}/v1/usage?${encodeURI(query)}`));
    expect(refused).toMatchObject({ status: 400, param, type: 'invalid_request_error' });
    expect(refused.message).toMatch(/\.$/);
  });

  it('of anything changes nothing', async () => {
    const test = await start({ models: ['scripted'] });
    await test.answer({ messages: [user('Hi.')], max_tokens: 1 });
    const odd = encodeURIComponent(`' OR 1=1 --`);
    expect((await usageOf(test, `?model=${odd}&client=${odd}`)).total.requests).toBe(0);
    expect((await usageOf(test)).total.requests).toBe(1);
  });
});
