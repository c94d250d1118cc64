// Each dialect through a Pilotlight that has the model on another one: what its client gets is what the other one says.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RECEIPT_HEADER } from '../../protocol/ledger.js';
import { ask, DIALECTS, readAll, readUntil } from '../dialects/test-dialects.js';
import { isLoaded, startTestServer, type TestServer } from '../test-server.js';
import { addUpstream } from './test-upstreams.js';

let far: TestServer;
let near: TestServer;

beforeAll(async () => {
  far = await startTestServer({ models: ['scripted', 'scripted-long', 'embed', 'rerank', 'slow'] });
  near = await startTestServer();
  await addUpstream(near, { url: far.server.url });
  await far.until(isLoaded('scripted'));
});
afterAll(async () => {
  await near.close();
  await far.close();
});

/** Without what differs from one answer to the next of the same server: ids, times, and what its cache had. */
const anyId = (text: string) =>
  text
    .replace(/"(id|item_id|request_id)":"[a-z]+[_-][\w-]+"/g, '"$1":"ID"')
    .replace(
      /"(cached_tokens|cache_read_input_tokens|input_tokens|created|created_at|completed_at|[a-z_]*duration|[a-z_]*_ms|tokens_per_s)":("[^"]*"|[\d.]+)/g,
      '"$1":T',
    );

describe.each(Object.entries(DIALECTS))('%s', (_, dialect) => {
  const question = { model: 'scripted', text: 'Hi.', maxTokens: 40, stream: false };

  it('answers in one piece with the same bytes', async () => {
    const direct = await ask(far, dialect, question);
    const passed = await ask(near, dialect, question);
    expect(passed.statusCode).toBe(200);
    expect(passed.headers['content-type']).toBe(direct.headers['content-type']);
    expect(passed.headers['x-pilotlight-upstream']).toBe('other');
    expect(passed.headers[RECEIPT_HEADER]).not.toBe(
      passed.headers['x-pilotlight-upstream-receipt'],
    );
    expect(passed.headers['x-pilotlight-upstream-request-id']).toBe(passed.headers['x-request-id']);
    const [whole, text] = [await readAll(direct), await readAll(passed)];
    expect(anyId(text)).toBe(anyId(whole));
    expect(dialect.collected(text)).toBe(dialect.collected(whole));
  });

  it('streams the same bytes', async () => {
    const streamed = { ...question, stream: true };
    const [whole, text] = [
      await readAll(await ask(far, dialect, streamed)),
      await readAll(await ask(near, dialect, streamed)),
    ];
    expect(anyId(text)).toBe(anyId(whole));
    expect(dialect.streamed(text)).toBe(dialect.streamed(whole));
  });

  it('tells the same refusal', async () => {
    const broken = { ...question, maxTokens: -1 };
    const [direct, passed] = [await ask(far, dialect, broken), await ask(near, dialect, broken)];
    expect(passed.statusCode).toBe(direct.statusCode);
    expect(anyId(await readAll(passed))).toBe(anyId(await readAll(direct)));
  });

  it('ends at the other one when its client leaves', async () => {
    const leaving = new AbortController();
    const long = { ...question, model: 'slow', maxTokens: 2000, stream: true };
    const answer = await ask(near, dialect, long, leaving.signal);
    await readUntil(answer, /\n/);
    await far.until(({ running }) => running === 1);
    leaving.abort();
    await far.idle();
    await near.idle();
  });
});
